// A queue whose ends cost constant time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace scoville {

/// A ring that doubles when it is full. An empty one owns no memory, other than std::deque: some benchmarks
/// have a hundred thousand queues.
template <class Element>
class Fifo {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void push(Element element) {
    if (size_ == ring_.size())
      grow();
    ring_[(head_ + size_) & (ring_.size() - 1)] = std::move(element);
    ++size_;
  }

  /// Removes the oldest element; there must be one.
  [[nodiscard]] Element pop() {
    auto result = std::exchange(ring_[head_], Element{});
    head_ = (head_ + 1) & (ring_.size() - 1);
    --size_;
    return result;
  }

 private:
  void grow() {
    std::vector<Element> bigger(ring_.empty() ? 2 : 2 * ring_.size());
    for (std::size_t i = 0; i < size_; ++i)
      bigger[i] = std::move(ring_[(head_ + i) & (ring_.size() - 1)]);
    ring_ = std::move(bigger);
    head_ = 0;
  }

  std::vector<Element> ring_; // a power of two long, or empty
  std::size_t head_ = 0;      // of the oldest element
  std::size_t size_ = 0;
};

} // namespace scoville
