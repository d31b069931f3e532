#include <rondo/detail/frame_pool.hpp>

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using rondo::detail::allocate_frame;
using rondo::detail::count_frames;
using rondo::detail::free_frame;
using rondo::detail::release_frames;
using rondo::detail::trim_frames;

namespace {

constexpr bool pooled = RONDO_POOLS_FRAMES != 0;
constexpr std::size_t mib = 1024 * 1024;

std::size_t live() { return count_frames().live; }
std::size_t reserved() { return count_frames().reserved_bytes; }

struct frame {
    void* memory = nullptr;
    std::size_t size = 0;
};

frame make(std::size_t size) {
    const frame f{allocate_frame(size), size};
    std::memset(f.memory, static_cast<int>(size % 251), size);
    return f;
}
bool intact(const frame& f) {
    const auto* const bytes = static_cast<const unsigned char*>(f.memory);
    return std::all_of(bytes, bytes + f.size, [&](unsigned char b) { return b == f.size % 251; });
}
void free_all(std::vector<frame>& frames) {
    for (const frame& f : frames) free_frame(f.memory, f.size);
    frames.clear();
}
std::vector<frame> make_many(std::size_t count, std::size_t size) {
    std::vector<frame> frames;
    frames.reserve(count);
    for (std::size_t i = 0; i < count; ++i) frames.push_back({allocate_frame(size), size});
    return frames;
}

const void* owner_of(void* frame) {
    const std::uintptr_t chunk = reinterpret_cast<std::uintptr_t>(frame) & ~(rondo::detail::frame_chunk_size - 1);
    return reinterpret_cast<const rondo::detail::frame_chunk*>(chunk)->owner;
}

/// Of the whole process, whether there is memory behind it or not.
std::size_t address_space() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// What a signal's handler frees, one frame each time.
struct {
    frame* next = nullptr;
    frame* end = nullptr;
} to_interrupt_with;
std::atomic<bool> all_interrupted;

void free_in_handler(int) {
    if (to_interrupt_with.next == to_interrupt_with.end) {
        all_interrupted = true;
        return;
    }
    const frame f = *to_interrupt_with.next++;
    free_frame(f.memory, f.size);
}

/// Hands frames from thread to thread.
class conveyor {
public:
    void push(frame f) {
        {
            const std::lock_guard guard(lock_);
            frames_.push_back(f);
        }
        filled_.notify_one();
    }
    /// A frame without memory ends it.
    frame pop() {
        std::unique_lock guard(lock_);
        filled_.wait(guard, [this] { return !frames_.empty(); });
        const frame f = frames_.front();
        frames_.pop_front();
        return f;
    }

private:
    std::mutex lock_;
    std::condition_variable filled_;
    std::deque<frame> frames_;
};

/// Frames used by a thread-local's destructor: the order against the pool's own hook is not for the user to know.
class late_user {
public:
    explicit late_user(std::size_t size) : kept_(make(size)) {}
    ~late_user() {
        const frame other = make(kept_.size);
        free_frame(kept_.memory, kept_.size);
        free_frame(other.memory, other.size);
    }
    late_user(const late_user&) = delete;
    late_user& operator=(const late_user&) = delete;

private:
    frame kept_;
};

/// The same while statics are destroyed, after main.
class latest_user {
public:
    ~latest_user() {
        for (std::size_t size = 8; size < 3000; size *= 2) {
            const frame f = make(size);
            free_frame(f.memory, f.size);
        }
        if (live() != 0) std::abort();
    }
} used_at_exit;

}  // namespace

TEST_CASE("frames of any size are aligned to 16 and do not overlap") {
    const std::size_t before = live();
    std::vector<frame> frames;
    for (int round = 0; round < 5; ++round)
        for (std::size_t size = 1; size < 2200; ++size) frames.push_back(make(size));

    CHECK(std::all_of(frames.begin(), frames.end(),
                      [](const frame& f) { return reinterpret_cast<std::uintptr_t>(f.memory) % 16 == 0; }));
    CHECK(std::all_of(frames.begin(), frames.end(), intact));
    CHECK(live() == before + frames.size());

    free_all(frames);
    CHECK(live() == before);
}

TEST_CASE("the frame freed last is the first one handed out again, to any size of its class") {
    if (!pooled) return;
    void* const first = allocate_frame(144);
    void* const second = allocate_frame(144);
    free_frame(first, 144);
    free_frame(second, 144);

    CHECK(allocate_frame(129) == second);
    void* const other_class = allocate_frame(145);
    CHECK(other_class != first);
    CHECK(allocate_frame(144) == first);

    free_frame(first, 144);
    free_frame(second, 129);
    free_frame(other_class, 145);
}

TEST_CASE("a frame that is not freed shows in the count, pooled or big") {
    const std::size_t size = GENERATE(as<std::size_t>{}, 1, 16, 144, 1024, 1025, 100'000);
    const std::size_t before = live();

    void* const leaked = allocate_frame(size);
    CHECK(live() == before + 1);
    CHECK(reserved() >= size);

    free_frame(leaked, size);
    CHECK(live() == before);
}

TEST_CASE("frames freed on another thread come back to the thread that made them") {
    const std::size_t before = live();
    std::vector<frame> frames = make_many(10'000, 96);
    std::set<void*> made;
    for (const frame& f : frames) made.insert(f.memory);
    const std::size_t held = reserved();

    std::thread([&] { free_all(frames); }).join();
    CHECK(live() == before);

    frames = make_many(10'000, 96);
    if (pooled) {
        CHECK(std::all_of(frames.begin(), frames.end(), [&](const frame& f) { return made.count(f.memory) == 1; }));
        CHECK(reserved() == held);
    }
    free_all(frames);
    CHECK(live() == before);
}

TEST_CASE("frames may be made and freed by many threads at once") {
    constexpr std::size_t per_producer = 50'000;
    const std::size_t before = live();
    conveyor belt;
    std::atomic<std::size_t> damaged{0};

    std::vector<std::thread> producers, consumers;
    for (std::size_t t = 0; t < 2; ++t) {
        producers.emplace_back([&belt, t] {
            for (std::size_t i = 0; i < per_producer; ++i) {
                belt.push(make(1 + (i * 37 + t) % 1100));
                const frame own = make(1 + i % 300);
                free_frame(own.memory, own.size);
            }
        });
        consumers.emplace_back([&] {
            for (frame f = belt.pop(); f.memory != nullptr; f = belt.pop()) {
                damaged += !intact(f);
                free_frame(f.memory, f.size);
            }
        });
    }
    for (std::thread& t : producers) t.join();
    for (std::size_t i = 0; i < consumers.size(); ++i) belt.push({});
    for (std::thread& t : consumers) t.join();

    CHECK(damaged == 0);
    CHECK(live() == before);
}

TEST_CASE("no frame is lost when threads free at the same moment what one thread made") {
    const std::size_t before = live();
    for (int round = 0; round < 10; ++round) {
        const std::vector<frame> frames = make_many(300'000, 48);
        std::atomic<int> ready{0};
        const auto free_every_second = [&](std::size_t from) {
            ++ready;
            while (ready != 2) std::this_thread::yield();
            for (std::size_t i = from; i < frames.size(); i += 2) free_frame(frames[i].memory, frames[i].size);
        };

        std::thread even(free_every_second, 0);
        std::thread odd(free_every_second, 1);
        even.join();
        odd.join();

        REQUIRE(live() == before);
    }
}

TEST_CASE("no frame is lost when a free is interrupted by another one") {
    if (!pooled) return;
    constexpr std::size_t interruptions = 400;
    const std::size_t before = live();
    std::vector<frame> others = make_many(interruptions, 48);
    to_interrupt_with = {others.data(), others.data() + others.size()};
    all_interrupted = false;

    // The thread frees what another one made, again and again, while a timer's signal does the same in between: at
    // whichever of its instructions, for a signal needs no second processor.
    struct sigaction handler{};
    struct sigaction former{};
    handler.sa_handler = free_in_handler;
    handler.sa_flags = SA_RESTART;
    REQUIRE(::sigaction(SIGALRM, &handler, &former) == 0);
    sigset_t alarms;
    ::sigemptyset(&alarms);
    ::sigaddset(&alarms, SIGALRM);
    ::pthread_sigmask(SIG_BLOCK, &alarms, nullptr);
    std::atomic<bool> filled{false};
    std::vector<frame> frames;
    std::thread freeing([&] {
        ::pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
        while (!all_interrupted) {
            if (!filled) continue;
            for (const frame& f : frames) free_frame(f.memory, f.size);
            filled = false;
        }
    });
    const itimerval often{{0, 50}, {0, 50}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
    while (!all_interrupted) {
        if (filled) continue;
        frames = make_many(20'000, 48);
        filled = true;
    }
    const itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    freeing.join();
    if (filled) free_all(frames);
    ::pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);  // the handler is still there for a last one
    ::sigaction(SIGALRM, &former, nullptr);

    CHECK(live() == before);
}

TEST_CASE("counting while other threads make and free frames is harmless") {
    const std::size_t before = live();
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 2; ++t) {
        threads.emplace_back([&stop, t] {
            while (!stop) {
                std::vector<frame> frames = make_many(10'000, 100 + 16 * t);
                free_all(frames);
                release_frames();
            }
        });
    }

    std::size_t most = 0;
    for (int i = 0; i < 300; ++i) most = std::max(most, live());
    stop = true;
    for (std::thread& t : threads) t.join();

    CHECK(most < before + 100'000);
    CHECK(live() == before);
}

TEST_CASE("a thread that ends leaves its memory to the next one") {
    const std::size_t before = live();
    const auto work = [] {
        std::vector<frame> frames = make_many(2000, 200);
        free_all(frames);
    };
    std::thread(work).join();
    const std::size_t held = reserved();

    for (int i = 0; i < 50; ++i) std::thread(work).join();

    CHECK(reserved() == held);
    CHECK(live() == before);
}

TEST_CASE("a thread that ends gives its free big arenas back") {
    const std::size_t before = reserved();

    std::thread([] {
        std::vector<frame> frames = make_many(100'000, 200);
        free_all(frames);
    }).join();

    CHECK(reserved() <= before + mib);
}

TEST_CASE("frames outlive the thread that made them") {
    const std::size_t before = live();
    std::vector<frame> frames;
    std::thread([&] {
        for (std::size_t i = 0; i < 20'000; ++i) frames.push_back(make(1 + i % 1200));
    }).join();

    CHECK(live() == before + frames.size());
    CHECK(std::all_of(frames.begin(), frames.end(), intact));
    free_all(frames);
    CHECK(live() == before);
}

TEST_CASE("frames may be used by destructors that run at the end of a thread") {
    const std::size_t before = live();

    pthread_key_t key{};
    REQUIRE(pthread_key_create(&key, [](void* memory) {
                const frame other = make(300);
                free_frame(memory, 300);
                free_frame(other.memory, 300);
            }) == 0);
    std::thread([key] {
        pthread_setspecific(key, make(300).memory);
        thread_local late_user before_others(700);
        const frame f = make(50);
        thread_local late_user after_others(50);
        free_frame(f.memory, f.size);
    }).join();
    pthread_key_delete(key);

    CHECK(live() == before);
}

TEST_CASE("a frame made at the very end of a thread is not made in what the next thread has taken over") {
    static std::atomic<void*> late_frame;
    static std::atomic<bool> other_done;
    const std::size_t before = live();
    late_frame = nullptr;
    other_done = false;
    free_frame(allocate_frame(16), 16);  // so that the pool's hook is older than the key, and runs before it
    pthread_key_t key{};
    REQUIRE(pthread_key_create(&key, [](void*) {
                late_frame = allocate_frame(80);
                late_frame.notify_one();
                other_done.wait(false);
                free_frame(late_frame, 80);
            }) == 0);
    std::thread ending([key] {
        free_frame(allocate_frame(80), 80);
        pthread_setspecific(key, &late_frame);
    });
    late_frame.wait(nullptr);

    void* other_frame = nullptr;
    std::thread([&] { other_frame = allocate_frame(80); }).join();
    if (pooled) CHECK(owner_of(late_frame) != owner_of(other_frame));
    free_frame(other_frame, 80);
    other_done = true;
    other_done.notify_one();
    ending.join();
    pthread_key_delete(key);

    CHECK(live() == before);
}

TEST_CASE("a million frames are counted, and their memory goes back when they are gone") {
    constexpr std::size_t count = 1'000'000;
    release_frames();
    const auto before = count_frames();
    std::vector<frame> frames = make_many(count, 144);
    const auto full = count_frames();
    CHECK(full.live == before.live + count);
    CHECK(full.reserved_bytes >= before.reserved_bytes + (count - 10'000) * 144);
    CHECK(full.reserved_bytes <= before.reserved_bytes + count * 144 + count * 144 / 50 + 2 * mib);

    free_all(frames);
    CHECK(live() == before.live);
    frames = make_many(count, 144);
    CHECK(reserved() == full.reserved_bytes);
    free_all(frames);

    release_frames();
    CHECK(live() == before.live);
    CHECK(reserved() <= before.reserved_bytes + mib);
}

TEST_CASE("an arena stays while a single frame is in it") {
    release_frames();
    const std::size_t before = live();
    std::vector<frame> frames = make_many(100'000, 144);
    const frame kept = frames[50'000];
    frames.erase(frames.begin() + 50'000);
    std::memset(kept.memory, 144, kept.size);
    const std::size_t full = reserved();

    free_all(frames);
    release_frames();

    CHECK(reserved() < full);
    CHECK(live() == before + 1);
    CHECK(intact(kept));
    std::vector<frame> others = make_many(100'000, 144);
    CHECK(std::none_of(others.begin(), others.end(), [&](const frame& f) { return f.memory == kept.memory; }));
    CHECK(intact(kept));
    free_all(others);
    free_frame(kept.memory, kept.size);
    release_frames();
    CHECK(live() == before);
}

TEST_CASE("memory of one size serves another once its frames are gone") {
    release_frames();
    const std::size_t before = live();
    const std::size_t held = reserved();
    std::size_t most = 0;
    for (std::size_t size = 64; size <= 1024; size += 32) {
        std::vector<frame> frames = make_many(20 * mib / size, size);
        most = std::max(most, reserved() - held);
        free_all(frames);
    }
    CHECK(most <= 60 * mib);
    CHECK(live() == before);
    release_frames();
}

TEST_CASE("no address space is held beyond what is reserved for frames") {
    if (!pooled) return;
    std::vector<frame> frames(400'000);
    release_frames();
    const std::size_t space = address_space();
    const std::size_t held = reserved();

    for (frame& f : frames) f = {allocate_frame(144), 144};
    const std::size_t more = reserved() - held;
    CHECK(more > 50 * mib);
    CHECK(address_space() - space < more + 10 * mib);

    free_all(frames);
    release_frames();
    CHECK(address_space() < space + 10 * mib);
}

TEST_CASE("arenas that became free since an idle loop last looked are kept until it looks again") {
    if (!pooled) return;
    constexpr std::int64_t hour = 3'600'000'000'000;
    release_frames();
    const std::size_t before = reserved();
    std::vector<frame> frames = make_many(40 * mib / 144, 144);
    trim_frames(100 * hour);
    free_all(frames);
    // So much of another size that the arenas of the first are found to be free, and more than these need.
    frames = make_many(60 * mib / 208, 208);
    const std::size_t full = reserved();
    free_all(frames);

    trim_frames(101 * hour);
    CHECK(reserved() == full);
    trim_frames(102 * hour);
    CHECK(reserved() <= before + mib);
}

TEST_CASE("an idle loop gives back what no frame has needed since it last looked, and keeps the rest") {
    constexpr std::int64_t hour = 3'600'000'000'000;
    std::int64_t now = hour;
    release_frames();
    const std::size_t before = reserved();
    std::vector<frame> frames = make_many(200'000, 144);
    const std::size_t full = reserved();
    const auto next_look = [&now] { trim_frames(now += hour); };

    next_look();
    next_look();
    CHECK(reserved() == full);

    // Bursts: between any two looks all of it is in use once, though never when the loop looks.
    for (int burst = 0; burst < 5; ++burst) {
        free_all(frames);
        next_look();
        frames = make_many(200'000, 144);
        CHECK(reserved() == full);
    }

    free_all(frames);
    next_look();
    for (int i = 0; i < 100; ++i) trim_frames(now + i);
    CHECK(reserved() == (pooled ? full : before));
    frames = make_many(50'000, 144);  // a part is needed again
    next_look();
    CHECK(reserved() < before + 50'000 * 144 + 3 * mib);
    CHECK(reserved() >= before + 50'000 * 144 - mib);

    free_all(frames);
    next_look();
    next_look();
    CHECK(reserved() <= before + mib);
}
