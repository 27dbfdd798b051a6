#include "host/config/checking/scalar.hpp"

#include <charconv>
#include <cmath>
#include <utility>

namespace mortise::host {
namespace {

__extension__ typedef unsigned __int128 Wide;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A decimal number as written: digits without point, times ten to the exponent.
struct Decimal {
  bool negative = false;
  bool point = false;
  bool exponent_written = false;
  bool leading_zero = false;
  std::string digits;
  long exponent = 0;
  std::size_t length = 0;  // characters of the text that it takes
};

// Takes digits with single underscores between them; false when there is a stray underscore.
bool take_digits(std::string_view text, std::size_t& at, std::string& digits) {
  bool after_digit = false;
  for (; at < text.size() && (is_digit(text[at]) || text[at] == '_'); ++at) {
    const bool digit = is_digit(text[at]);
    if (!digit && (!after_digit || at + 1 == text.size() || !is_digit(text[at + 1]))) return false;
    if (digit) digits += text[at];
    after_digit = digit;
  }
  return true;
}

bool take_exponent(std::string_view text, std::size_t& at, Decimal& number) {
  std::size_t i = at + 1;
  const bool negative = i < text.size() && text[i] == '-';
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  if (i == text.size() || !is_digit(text[i])) return true;  // not an exponent: a unit may follow
  long exponent = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    if (exponent < 100'000) exponent = exponent * 10 + (text[i] - '0');
  }
  number.exponent += negative ? -exponent : exponent;
  number.exponent_written = true;
  at = i;
  return true;
}

// The number at the beginning of `text`.
std::optional<Decimal> take_decimal(std::string_view text) {
  Decimal number;
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) number.negative = text[at++] == '-';
  if (!take_digits(text, at, number.digits)) return std::nullopt;
  number.leading_zero = number.digits.size() > 1 && number.digits[0] == '0';
  if (at < text.size() && text[at] == '.') {
    number.point = true;
    const std::size_t whole = number.digits.size();
    if (!take_digits(text, ++at, number.digits)) return std::nullopt;
    number.exponent = -static_cast<long>(number.digits.size() - whole);
  }
  if (number.digits.empty()) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) take_exponent(text, at, number);
  number.length = at;
  return number;
}

enum class Fit { exact, fraction, too_large };

// number * factor as an integer.
Fit scale(Decimal number, std::uint64_t factor, std::int64_t& out) {
  const Wide limit = static_cast<Wide>(INT64_MAX) + (number.negative ? 1 : 0);
  while (number.digits.size() > 1 && number.digits.back() == '0')
    number.digits.pop_back(), ++number.exponent;
  Wide value = 0;
  for (const char c : number.digits) {
    value = value * 10 + static_cast<Wide>(c - '0');
    if (value > (static_cast<Wide>(1) << 80))
      return number.exponent < -20 ? Fit::fraction : Fit::too_large;
  }
  if (value == 0) return out = 0, Fit::exact;
  value *= factor;
  for (; number.exponent < 0; ++number.exponent) {
    if (value % 10 != 0) return Fit::fraction;
    value /= 10;
  }
  for (; number.exponent > 0; --number.exponent) {
    if (value > limit) return Fit::too_large;
    value *= 10;
  }
  if (value > limit) return Fit::too_large;
  out = static_cast<std::int64_t>(number.negative ? ~static_cast<std::uint64_t>(value) + 1
                                                  : static_cast<std::uint64_t>(value));
  return Fit::exact;
}

template <typename T>
Reading<T> refuse(std::string problem) {
  return {std::nullopt, std::move(problem)};
}

Reading<std::int64_t> read_scaled(const Decimal& number, std::uint64_t factor) {
  std::int64_t value = 0;
  switch (scale(number, factor, value)) {
    case Fit::exact:
      return {value, ""};
    case Fit::fraction:
      return refuse<std::int64_t>("is not a whole number");
    case Fit::too_large:
      break;
  }
  return refuse<std::int64_t>("is too large: at most 9223372036854775807");
}

struct Unit {
  const char* name;
  std::uint64_t factor;
};
constexpr std::uint64_t kKi = 1024;
constexpr Unit kCounts[] = {
    {"k", 1'000}, {"M", 1'000'000}, {"B", 1'000'000'000},  {"T", 1'000'000'000'000},
    {"Ki", kKi},  {"Mi", kKi* kKi}, {"Gi", kKi* kKi* kKi}, {"Ti", kKi* kKi* kKi* kKi}};
constexpr Unit kByteUnits[] = {{"B", 1},
                               {"kB", 1'000},
                               {"KB", 1'000},
                               {"MB", 1'000'000},
                               {"GB", 1'000'000'000},
                               {"TB", 1'000'000'000'000},
                               {"KiB", kKi},
                               {"MiB", kKi* kKi},
                               {"GiB", kKi* kKi* kKi},
                               {"TiB", kKi* kKi* kKi* kKi}};

std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

template <std::size_t N>
Reading<std::int64_t> read_with_units(std::string_view text, const Unit (&units)[N],
                                      const char* what, const char* list) {
  const auto number = take_decimal(text);
  if (!number) return refuse<std::int64_t>(std::string("is not ") + what);
  const std::string_view unit = trim_blanks(text.substr(number->length));
  if (unit.empty()) return read_integer(text);
  for (const Unit& known : units) {
    if (unit == known.name) return read_scaled(*number, known.factor);
  }
  return refuse<std::int64_t>(std::string("is not ") + what + ": the units are " + list);
}

constexpr std::pair<const char*, double> kTimes[] = {
    {"d", 86'400}, {"h", 3'600}, {"m", 60}, {"s", 1}, {"ms", 1e-3}};

std::size_t unit_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && text[length] >= 'a' && text[length] <= 'z') ++length;
  return length;
}

Reading<Amount> read_unit_amount(std::string_view number, std::string_view unit) {
  if (unit == "%") {
    const auto percent = read_number(number);
    if (!percent.value) return refuse<Amount>(percent.problem);
    if (*percent.value > 100) return refuse<Amount>("is more than 100%");
    return {Amount{*percent.value, Amount::Unit::percent}, ""};
  }
  if (unit == "epochs" || unit == "epoch") {
    const auto epochs = read_number(number);
    if (!epochs.value) return refuse<Amount>(epochs.problem);
    return {Amount{*epochs.value, Amount::Unit::epochs}, ""};
  }
  const auto count = read_count(number);
  if (!count.value) return refuse<Amount>(count.problem);
  const bool tokens = unit == "tokens" || unit == "token";
  return {Amount{static_cast<double>(*count.value),
                 tokens ? Amount::Unit::tokens : Amount::Unit::steps},
          ""};
}

// The word at the end of an amount, with the number before it.
std::string_view amount_unit(std::string_view text, std::string_view& number) {
  for (const std::string_view unit : {"%", "steps", "step", "tokens", "token", "epochs", "epoch"}) {
    if (!text.ends_with(unit)) continue;
    number = text.substr(0, text.size() - unit.size());
    while (number.ends_with(' ')) number.remove_suffix(1);
    return unit;
  }
  number = text;
  return "";
}

}  // namespace

Reading<bool> read_bool(std::string_view text) {
  if (text == "true") return {true, ""};
  if (text == "false") return {false, ""};
  return refuse<bool>("is not true or false");
}

Reading<std::int64_t> read_integer(std::string_view text) {
  const auto number = take_decimal(text);
  if (!number || number->length != text.size()) return refuse<std::int64_t>("is not an integer");
  if (number->leading_zero) return refuse<std::int64_t>("has leading zeros: integers are decimal");
  if (number->point && !number->exponent_written) return refuse<std::int64_t>("is not an integer");
  return read_scaled(*number, 1);
}

Reading<double> read_number(std::string_view text) {
  const auto number = take_decimal(text);
  if (text == ".nan" || text == ".inf" || text == "-.inf" || text == "+.inf" || text == "inf" ||
      text == "nan") {
    return refuse<double>("is not a finite number");
  }
  if (!number || number->length != text.size()) return refuse<double>("is not a number");
  const std::string plain =
      (number->negative ? "-" : "") + number->digits + "e" + std::to_string(number->exponent);
  double value = 0;
  const auto result = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (result.ec == std::errc()) return {value, ""};
  const bool large = number->exponent + static_cast<long>(number->digits.size()) > 0;
  return refuse<double>(large ? "is too large for a number" : "is too close to zero for a number");
}

Reading<std::int64_t> read_count(std::string_view text) {
  return read_with_units(text, kCounts, "a count", "k, M, B, T, Ki, Mi, Gi, Ti");
}

Reading<std::int64_t> read_bytes(std::string_view text) {
  return read_with_units(text, kByteUnits, "a size", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB");
}

Reading<double> read_duration(std::string_view text) {
  const auto wrong = [] { return refuse<double>("is not a duration: write 30s, 5m, 1h30m"); };
  if (text.empty()) return wrong();
  double seconds = 0;
  for (std::size_t next = 0; !text.empty();) {
    const auto number = take_decimal(text);
    if (!number || !(is_digit(text[0]) || text[0] == '.')) return wrong();
    const std::string_view unit =
        text.substr(number->length, unit_length(text.substr(number->length)));
    while (next < std::size(kTimes) && unit != kTimes[next].first) ++next;
    if (next == std::size(kTimes)) return wrong();
    const auto value = read_number(text.substr(0, number->length));
    if (!value.value) return value;
    seconds += *value.value * kTimes[next++].second;
    text.remove_prefix(number->length + unit.size());
  }
  if (!std::isfinite(seconds)) return refuse<double>("is too long");
  return {seconds, ""};
}

Reading<Amount> read_amount(std::string_view text) {
  std::string_view number;
  const std::string_view unit = amount_unit(text, number);
  if (unit.empty()) {
    if (const auto seconds = read_duration(text); seconds.value) {
      return {Amount{*seconds.value, Amount::Unit::seconds}, ""};
    }
  }
  if (number.starts_with('-')) return refuse<Amount>("is negative");
  Reading<Amount> amount = read_unit_amount(number, unit);
  const bool shape =
      amount.problem.starts_with("is not a count") || amount.problem == "is not a number";
  if (shape) amount.problem = "is not an amount: write 300, 2%, 1B tokens, 3 epochs or 1h";
  return amount;
}

std::string write_number(double value) {
  char text[40];
  const auto result = std::to_chars(text, text + sizeof text, value);
  return std::string(text, result.ptr);
}

std::string write_amount(const Amount& amount) {
  const auto whole = [&] { return std::to_string(static_cast<std::int64_t>(amount.value)); };
  switch (amount.unit) {
    case Amount::Unit::steps:
      return whole();
    case Amount::Unit::percent:
      return write_number(amount.value) + "%";
    case Amount::Unit::tokens:
      return whole() + " tokens";
    case Amount::Unit::epochs:
      return write_number(amount.value) + " epochs";
    case Amount::Unit::seconds:
      return write_number(amount.value) + "s";
  }
  return "";
}

}  // namespace mortise::host
