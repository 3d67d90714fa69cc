#include "memory.hpp"

#include <fstream>
#include <stdexcept>

#include <unistd.h>

namespace scoville {

std::int64_t resident_bytes() {
  std::ifstream file{"/proc/self/statm"};
  std::int64_t total = 0;
  std::int64_t resident = 0;
  if (!(file >> total >> resident))
    throw std::runtime_error("cannot tell the resident memory: /proc/self/statm is not readable");
  return resident * ::sysconf(_SC_PAGESIZE);
}

} // namespace scoville
