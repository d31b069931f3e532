// Elements in order, taken from the front, put at the back or back to the front. Memory grows and is kept.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace rondo::inline v0::detail {

template <class T>
class ring_buffer {
public:
    static_assert(std::is_nothrow_move_constructible_v<T>);

    ring_buffer() noexcept = default;
    explicit ring_buffer(std::size_t slots) { grow(slots); }
    ring_buffer(const ring_buffer&) = delete;
    ring_buffer& operator=(const ring_buffer&) = delete;
    ~ring_buffer() {
        while (count_ != 0) static_cast<void>(pop_front());
        free(slots_);
    }

    std::size_t size() const noexcept { return count_; }
    bool empty() const noexcept { return count_ == 0; }

    void push_back(T&& v) {
        if (count_ == room_) grow(room_ * 2 + 1);
        std::size_t at = first_ + count_;
        if (at >= room_) at -= room_;
        ::new (static_cast<void*>(slots_ + at)) T(std::move(v));
        ++count_;
    }
    void push_front(T&& v) {
        if (count_ == room_) grow(room_ * 2 + 1);
        const std::size_t at = first_ == 0 ? room_ - 1 : first_ - 1;
        ::new (static_cast<void*>(slots_ + at)) T(std::move(v));
        first_ = at;
        ++count_;
    }
    T pop_front() noexcept {
        T& front = slots_[first_];
        T out(std::move(front));
        front.~T();
        if (++first_ == room_) first_ = 0;
        --count_;
        return out;
    }

private:
    void grow(std::size_t slots) {
        if (slots == 0) return;
        if (slots > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
        T* const larger = static_cast<T*>(::operator new(slots * sizeof(T), std::align_val_t(alignof(T))));
        const std::size_t n = count_;
        for (std::size_t i = 0; i < n; ++i) ::new (static_cast<void*>(larger + i)) T(pop_front());
        free(slots_);
        slots_ = larger;
        room_ = slots;
        first_ = 0;
        count_ = n;
    }
    static void free(T* slots) noexcept { ::operator delete(slots, std::align_val_t(alignof(T))); }

    T* slots_ = nullptr;
    std::size_t room_ = 0;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

}  // namespace rondo::inline v0::detail
