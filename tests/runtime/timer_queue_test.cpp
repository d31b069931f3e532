#include "timer_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

using rondo::detail::timer_node;
using rondo::detail::timer_queue;

namespace {

constexpr std::int64_t microsecond = 1'000;
constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t year = 31'556'952 * second;

static_assert(sizeof(timer_node) == 24);
static_assert(std::is_trivially_destructible_v<timer_node>);
static_assert(sizeof(timer_queue) <= 1024, "the large arrays are taken when they are needed");

/// So many, far away and unequal, that the wheel is in use.
class crowd {
public:
    crowd(timer_queue& q, std::int64_t now) {
        for (timer_node& n : nodes_) {
            n.deadline = now + 100 * year + (&n - nodes_);
            q.arm(n, now);
        }
        q.pop_expired(now);
    }

private:
    timer_node nodes_[100];
};

void arm(timer_queue& q, timer_node& n, std::int64_t deadline, std::int64_t now) {
    n.deadline = deadline;
    q.arm(n, now);
}

/// The queue beside a multimap, which keeps equal keys in the order of their arrival. Counts what they disagree on.
class model {
public:
    model(std::uint64_t seed, std::int64_t start) : random_(seed), start_(start), now_(start) {}

    std::size_t size() const { return expected_.size(); }
    std::size_t wrong() const { return wrong_; }
    std::uint64_t pick(std::uint64_t below) { return random_() % below; }

    void arm_one() {
        if (idle_.empty()) idle_.push_back(all_.emplace_back(std::make_unique<tracked>()).get());
        tracked* const n = idle_.back();
        idle_.pop_back();
        n->deadline = some_deadline();
        queue_.arm(*n, std::max(start_, now_ - up_to(millisecond)));
        n->expected = expected_.emplace(n->deadline, n);
        n->index = armed_.size();
        armed_.push_back(n);
    }
    void cancel_one() {
        if (armed_.empty()) return;
        tracked* const n = pick(3) == 0 ? expected_.begin()->second : armed_[pick(armed_.size())];
        queue_.cancel(*n);
        wrong_ += n->armed();
        queue_.cancel(*n);
        forget(*n);
    }
    void pop(std::uint64_t at_most) {
        while (at_most-- != 0 && wrong_ == 0) {
            const bool due = !expected_.empty() && expected_.begin()->first <= now_;
            tracked* const next = due ? expected_.begin()->second : nullptr;
            wrong_ += queue_.pop_expired(now_) != next;
            if (next == nullptr) return;
            wrong_ += next->armed();
            forget(*next);
        }
    }
    void ask() {
        wrong_ += queue_.next_deadline() != (expected_.empty() ? timer_queue::never : expected_.begin()->first);
        wrong_ += queue_.size() != expected_.size();
    }
    /// To the next deadline or right before or after it, by less than two slots, or anywhere.
    void move_clock() {
        const std::int64_t next = expected_.empty() ? now_ : expected_.begin()->first;
        const std::int64_t choices[] = {next + up_to(3) - 1, now_ + up_to(500 * microsecond), some_deadline()};
        now_ = std::max(now_, choices[pick(3)]);
    }

private:
    struct tracked : timer_node {
        std::multimap<std::int64_t, tracked*>::iterator expected;
        std::size_t index = 0;
    };

    std::int64_t up_to(std::int64_t limit) {
        return static_cast<std::int64_t>(pick(static_cast<std::uint64_t>(limit)));
    }
    /// Soon or years away, sometimes past, often one that another node has.
    std::int64_t some_deadline() {
        if (pick(16) == 0) return now_ - up_to(2 * millisecond);
        const std::int64_t any = now_ + static_cast<std::int64_t>(random_() >> (10 + pick(50)));
        if (pick(4) != 0) return any;
        const auto other = expected_.lower_bound(any);
        return other == expected_.end() ? any : other->first;
    }
    void forget(tracked& n) {
        expected_.erase(n.expected);
        armed_.back()->index = n.index;
        armed_[n.index] = armed_.back();
        armed_.pop_back();
        idle_.push_back(&n);
    }

    std::mt19937_64 random_;
    std::int64_t start_;
    std::int64_t now_;
    timer_queue queue_;
    std::multimap<std::int64_t, tracked*> expected_;
    std::vector<std::unique_ptr<tracked>> all_;
    std::vector<tracked*> armed_;
    std::vector<tracked*> idle_;
    std::size_t wrong_ = 0;
};

}  // namespace

TEST_CASE("an empty timer queue has no next deadline and nothing that is due") {
    timer_queue q;

    CHECK(q.next_deadline() == timer_queue::never);
    CHECK(q.pop_expired(timer_queue::never) == nullptr);
    CHECK(q.size() == 0);
    CHECK(q.empty());
}

TEST_CASE("a timer is due at its deadline and not a nanosecond before") {
    timer_queue q;
    const std::int64_t start = GENERATE(as<std::int64_t>{}, 0, -5 * second, 77 * second + 3);
    const std::int64_t wait =
        GENERATE(as<std::int64_t>{}, 1, 262 * microsecond, 5 * millisecond, second, 90 * second, 3 * year);
    const bool crowded = GENERATE(false, true);
    const auto others = crowded ? std::make_unique<crowd>(q, start) : nullptr;
    timer_node n;

    arm(q, n, start + wait, start);

    CHECK(n.armed());
    CHECK(q.next_deadline() == start + wait);
    CHECK(q.pop_expired(start + wait - 1) == nullptr);
    CHECK(q.pop_expired(start + wait) == &n);
    CHECK_FALSE(n.armed());
    CHECK(q.next_deadline() == (crowded ? start + 100 * year : timer_queue::never));
    CHECK(q.pop_expired(start + wait) == nullptr);
}

TEST_CASE("a deadline in the past is due at once and comes before later ones") {
    timer_queue q;
    const bool crowded = GENERATE(false, true);
    const auto others = crowded ? std::make_unique<crowd>(q, second) : nullptr;
    timer_node now_due, long_past, first_of_all;

    arm(q, now_due, second, second);
    arm(q, long_past, -7, second);
    arm(q, first_of_all, std::numeric_limits<std::int64_t>::min(), second);

    CHECK(q.next_deadline() == std::numeric_limits<std::int64_t>::min());
    CHECK(q.pop_expired(second) == &first_of_all);
    CHECK(q.pop_expired(second) == &long_past);
    CHECK(q.pop_expired(second) == &now_due);
    CHECK(q.pop_expired(second) == nullptr);
}

TEST_CASE("the last deadline there is can be armed, cancelled and reached") {
    timer_queue q;
    const bool crowded = GENERATE(false, true);
    const auto others = crowded ? std::make_unique<crowd>(q, 0) : nullptr;
    timer_node a, b;

    arm(q, a, timer_queue::never, 0);
    arm(q, b, timer_queue::never, 0);
    q.cancel(a);
    while (timer_node* const n = q.pop_expired(timer_queue::never - 1)) REQUIRE(n != &b);

    CHECK(q.size() == 1);
    CHECK(q.pop_expired(timer_queue::never) == &b);
    CHECK(q.empty());
}

TEST_CASE("equal deadlines are due in the order in which they were armed, wherever they waited") {
    timer_queue q;
    crowd others(q, 0);
    const std::int64_t deadline = GENERATE(as<std::int64_t>{}, millisecond, second, 5 * second, 300 * second, 2 * year);
    const std::int64_t approach =
        GENERATE(as<std::int64_t>{}, 50 * microsecond, 2 * millisecond, 800 * millisecond, second + second / 8);
    std::vector<timer_node> nodes(40);

    // Some armed from afar, some when the deadline is near, after the clock has moved in between.
    std::int64_t now = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (i % 10 == 0 && i != 0) {
            now = std::max(now, deadline - approach / static_cast<std::int64_t>(i));
            REQUIRE(q.pop_expired(now) == nullptr);
        }
        if (i % 10 == 5) REQUIRE(q.next_deadline() == deadline);
        arm(q, nodes[i], deadline, now);
    }

    for (timer_node& n : nodes) CHECK(q.pop_expired(deadline) == &n);
    CHECK(q.pop_expired(deadline) == nullptr);
}

TEST_CASE("a cancelled timer is never due, and cancelling twice changes nothing") {
    timer_queue q;
    crowd others(q, 0);
    const std::size_t before = q.size();
    std::vector<timer_node> nodes(300);
    for (std::size_t i = 0; i < nodes.size(); ++i) arm(q, nodes[i], static_cast<std::int64_t>(i) * 9 * millisecond, 0);

    for (std::size_t i = 0; i < nodes.size(); i += 2) {
        q.cancel(nodes[i]);
        q.cancel(nodes[i]);
    }

    CHECK(q.size() == before + nodes.size() / 2);
    for (std::size_t i = 1; i < nodes.size(); i += 2) REQUIRE(q.pop_expired(10 * second) == &nodes[i]);
    CHECK(q.pop_expired(10 * second) == nullptr);
}

TEST_CASE("a node may be armed again when it has fired and when it was cancelled") {
    timer_queue q;
    timer_node n;

    arm(q, n, 10, 0);
    REQUIRE(q.pop_expired(10) == &n);
    arm(q, n, 20, 10);
    q.cancel(n);
    arm(q, n, 30, 10);

    CHECK(q.size() == 1);
    CHECK(q.pop_expired(29) == nullptr);
    CHECK(q.pop_expired(30) == &n);
}

TEST_CASE("the next deadline stays exact while the earliest timers are cancelled one after the other") {
    timer_queue q;
    crowd others(q, 0);
    const std::int64_t step =
        GENERATE(as<std::int64_t>{}, 1, 10 * microsecond, 3 * millisecond, 700 * millisecond, 11 * second);
    std::vector<timer_node> nodes(200);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        arm(q, nodes[i], static_cast<std::int64_t>(i) * step + 2 * second, 0);

    for (timer_node& n : nodes) {
        REQUIRE(q.next_deadline() == n.deadline);
        q.cancel(n);
    }

    CHECK(q.next_deadline() > 99 * year);
}

TEST_CASE("what is armed after next_deadline looked ahead is still due in its turn") {
    timer_queue q;
    crowd others(q, 0);
    timer_node far_one, cancelled, early, equal, late;
    arm(q, cancelled, 20 * second, 0);
    arm(q, far_one, 20 * second + 1, 0);
    q.cancel(cancelled);
    REQUIRE(q.next_deadline() == 20 * second + 1);

    arm(q, late, 20 * second + 2, 0);
    arm(q, equal, 20 * second + 1, 0);
    arm(q, early, 20 * second, 0);

    CHECK(q.next_deadline() == 20 * second);
    CHECK(q.pop_expired(19 * second) == nullptr);
    CHECK(q.pop_expired(21 * second) == &early);
    CHECK(q.pop_expired(21 * second) == &far_one);
    CHECK(q.pop_expired(21 * second) == &equal);
    CHECK(q.pop_expired(21 * second) == &late);
}

TEST_CASE("two timers are due in order for every distance between them and every position of the clock") {
    // In steps of a slot (2^18 ns) the wheel is at most 4096 wide: beyond that a slot would be shared.
    constexpr std::int64_t slot = std::int64_t{1} << 18;
    std::size_t wrong = 0;
    for (std::int64_t begin = 0; begin < 260; begin += 13) {
        for (std::int64_t distance = 3800; distance < 4140; ++distance) {
            timer_queue q;
            const std::int64_t start = begin * slot + 100;
            crowd others(q, start);
            timer_node later, soon, sooner;
            arm(q, later, start + distance * slot, start);
            arm(q, soon, start + (1 + begin % 50) * slot, start);
            arm(q, sooner, soon.deadline - 1, start);
            q.cancel(sooner);

            wrong += q.next_deadline() != soon.deadline;
            wrong += q.pop_expired(soon.deadline) != &soon;
            wrong += q.pop_expired(later.deadline - 1) != nullptr;
            wrong += q.next_deadline() != later.deadline;
            wrong += q.pop_expired(later.deadline) != &later;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("a clock that jumps by years finds every timer in order") {
    timer_queue q;
    crowd others(q, 0);
    std::vector<timer_node> nodes(2000);
    std::mt19937_64 random(7);
    for (timer_node& n : nodes)
        arm(q, n, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(50 * year)), 0);

    std::int64_t last = 0;
    std::size_t fired = 0;
    for (std::int64_t now = 0; now <= 50 * year; now += 5 * year) {
        while (const timer_node* const n = q.pop_expired(now)) {
            REQUIRE(n->deadline >= last);
            REQUIRE(n->deadline <= now);
            REQUIRE(n->deadline > now - 5 * year);
            last = n->deadline;
            ++fired;
        }
    }
    CHECK(fired == nodes.size());
}

TEST_CASE("the timer queue agrees with a sorted map over random arms, cancels and clocks") {
    const std::size_t sizes[] = {3, 40, 90, 500, 3000};
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const std::size_t size = sizes[seed % std::size(sizes)];
        const bool asks = seed % 2 == 0;  // looking ahead changes where the nodes lie
        model m(seed, seed % 3 == 0 ? 0 : static_cast<std::int64_t>(seed) * 87 * second + 5);

        for (int step = 0; step < 4000; ++step) {
            while (m.size() < size / 2) m.arm_one();
            switch (m.pick(10)) {
                case 0:
                case 1:
                case 2: m.arm_one(); break;
                case 3:
                case 4: m.cancel_one(); break;
                case 5: m.move_clock(); break;
                case 6: m.pop(m.pick(5)); break;
                case 7: m.pop(m.size()); break;
                default:
                    if (asks) m.ask();
            }
        }
        m.pop(m.size() + 1);
        m.ask();

        INFO("seed " << seed);
        REQUIRE(m.wrong() == 0);
    }
}

TEST_CASE("a million timers are due in exact order, and half of them can be cancelled") {
    timer_queue q;
    const std::int64_t start = 12'345 * second;
    const std::int64_t span = GENERATE(as<std::int64_t>{}, second, 3600 * second);
    std::vector<timer_node> nodes(1'000'000);
    std::mt19937_64 random(42);
    for (timer_node& n : nodes)
        arm(q, n, start + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span)), start);
    for (std::size_t i = 0; i < nodes.size(); i += 2) q.cancel(nodes[i]);

    // As a loop does: sleep until the next deadline, take what is due.
    std::size_t fired = 0, early = 0, disorder = 0, empty_wakes = 0;
    std::int64_t last = start;
    for (std::int64_t next = q.next_deadline(); next != timer_queue::never; next = q.next_deadline()) {
        const std::int64_t now = next;
        std::size_t now_fired = 0;
        while (const timer_node* const n = q.pop_expired(now)) {
            early += n->deadline > now;
            disorder += n->deadline < last;
            last = n->deadline;
            ++now_fired;
        }
        empty_wakes += now_fired == 0;
        fired += now_fired;
    }

    CHECK(fired == nodes.size() / 2);
    CHECK(early == 0);
    CHECK(disorder == 0);
    CHECK(empty_wakes == 0);
    CHECK(q.empty());
}
