#pragma once

// Records of a TensorBoard event file.
//
// The file is TFRecord framing (TensorFlow, core/lib/io/record_writer): u64 length, masked CRC-32C
// of the length, data, masked CRC-32C of the data, little-endian. The data is a protobuf `Event`
// (tensorboard/compat/proto/event.proto). Written here by hand because LibTorch exports a protobuf
// of its own, which a second one in the process would be bound to (docs/decisions/0100).

#include <cstdint>
#include <mortise/run/metric_sink.hpp>
#include <string>

namespace mortise::tensorboard {

// The first record of a file.
std::string version_record(double unix_seconds);

// One scalar for each value, at the record's step. Types: float32 in the file.
std::string scalars_record(const StepRecord& record, double unix_seconds);

// A run goes on after `first_step`: TensorBoard drops what earlier files say of later steps.
std::string restart_record(std::int64_t first_step, double unix_seconds);

}  // namespace mortise::tensorboard
