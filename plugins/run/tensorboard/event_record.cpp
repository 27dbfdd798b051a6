#include "event_record.hpp"

#include <bit>
#include <boost/crc.hpp>
#include <string_view>

namespace mortise::tensorboard {

namespace {

// Wire types of protobuf.
enum class Wire : std::uint64_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

template <class Unsigned>
std::string little_endian(Unsigned value) {
  std::string bytes;
  for (std::size_t i = 0; i != sizeof value; ++i) bytes += char((value >> (8 * i)) & 0xFF);
  return bytes;
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += char((value & 0x7F) | 0x80);
  return bytes + char(value);
}

std::string tag(std::uint64_t field, Wire wire) { return varint(field << 3 | std::uint64_t(wire)); }

std::string message(std::uint64_t field, std::string_view content) {
  return tag(field, Wire::bytes) + varint(content.size()) + std::string(content);
}

std::uint32_t masked_crc(std::string_view data) {
  // CRC-32C (Castagnoli), reflected.
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(data.data(), data.size());
  return std::rotr(crc.checksum(), 15) + 0xA282EAD8U;
}

std::string framed(const std::string& data) {
  const std::string length = little_endian(std::uint64_t(data.size()));
  return length + little_endian(masked_crc(length)) + data + little_endian(masked_crc(data));
}

// Event: wall_time = 1, step = 2, and one of file_version = 3, summary = 5, session_log = 7.
std::string event(double unix_seconds, std::int64_t step, const std::string& what) {
  return framed(tag(1, Wire::fixed64) + little_endian(std::bit_cast<std::uint64_t>(unix_seconds)) +
                tag(2, Wire::varint) + varint(std::uint64_t(step)) + what);
}

// Summary.Value: tag = 1, simple_value = 2.
std::string scalar(const Metric& metric) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(metric.value));
  return message(1, metric.name) + tag(2, Wire::fixed32) + little_endian(bits);
}

}  // namespace

std::string version_record(double unix_seconds) {
  return event(unix_seconds, 0, message(3, "brain.Event:2"));
}

std::string scalars_record(const StepRecord& record, double unix_seconds) {
  std::string summary;
  for (const Metric& m : record.values) summary += message(1, scalar(m));
  return event(unix_seconds, record.step, message(5, summary));
}

std::string restart_record(std::int64_t first_step, double unix_seconds) {
  const std::string start = tag(1, Wire::varint) + varint(1);  // SessionLog.status = START
  return event(unix_seconds, first_step + 1, message(7, start));
}

}  // namespace mortise::tensorboard
