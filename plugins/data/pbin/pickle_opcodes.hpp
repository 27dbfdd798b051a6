#pragma once

// The opcodes of Python's pickle that a list of pairs of numbers needs.

namespace mortise::pbin::opcode {

inline constexpr char kProtocol = '\x80', kFrame = '\x95', kStop = '.';
inline constexpr char kEmptyList = ']', kMark = '(', kAppend = 'a', kAppends = 'e';
inline constexpr char kInt1 = 'K', kInt2 = 'M', kInt4 = 'J', kLong1 = '\x8a';
inline constexpr char kPair = '\x86', kMemoize = '\x94', kPut1 = 'q', kPut4 = 'r';

}  // namespace mortise::pbin::opcode
