// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include <pleat/runtime/error.hpp>

#include "npy.hpp"
#include "printable.hpp"
#include "words.hpp"

namespace pleat::bench {
namespace {

[[noreturn]] void damaged(std::string_view what) {
  throw error("its header is damaged (" + std::string(what) + "); save the array again");
}

// Reads the few Python literals a header is made of.
class literal_reader {
 public:
  explicit literal_reader(std::string_view text) : text_(text) {}

  bool take(char wanted) {
    if (!next_is(wanted)) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) damaged(std::string("no '") + wanted + "' where one belongs");
  }

  std::string string() {
    const char quote = take('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const auto end = text_.find(quote, at_);
    if (end == std::string_view::npos) damaged("a string does not end");
    std::string value(text_.substr(at_, end - at_));
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    take_space();
    for (bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    damaged("fortran_order is neither True nor False");
  }

  std::vector<std::size_t> shape() {
    std::vector<std::size_t> sizes;
    expect('(');
    while (!take(')')) {
      take_space();
      std::size_t size = 0;
      auto [end, failure] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (failure != std::errc{}) damaged("the shape is not a tuple of sizes");
      at_ = static_cast<std::size_t>(end - text_.data());
      take('L');  // Python 2 wrote long integers so
      sizes.push_back(size);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  // A list of fields, `[('x', '<f8'), ('y', '<i4', (2,))]`: its text and the names in it.
  std::string fields(std::vector<std::string>& names) {
    take_space();
    const std::size_t start = at_;
    std::size_t depth = 0;
    do {
      if (at_ == text_.size()) damaged("the list of fields does not end");
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        const bool name = depth == 2 && text_[at_ - 1] == '(';
        auto value = string();
        if (name) names.push_back(std::move(value));
        continue;
      }
      if (c == '[' || c == '(') ++depth;
      if (c == ']' || c == ')') --depth;
      ++at_;
    } while (depth > 0);
    return std::string(text_.substr(start, at_ - start));
  }

  bool next_is(char wanted) {
    take_space();
    return at_ < text_.size() && text_[at_] == wanted;
  }

 private:
  void take_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// The type a descr such as `<f8` or `|b1` names, whatever its byte order.
std::optional<number_type> number_type_of(std::string_view descr) {
  if (!descr.empty() && std::string_view("<>=|").find(descr.front()) != std::string_view::npos)
    descr.remove_prefix(1);
  if (descr.size() < 2) return std::nullopt;
  const auto bytes = number_in<std::size_t>(descr.substr(1));
  if (!bytes) return std::nullopt;
  const auto one_of = [&](number_kind kind, std::initializer_list<std::size_t> sizes) {
    const bool known = std::ranges::find(sizes, *bytes) != sizes.end();
    return known ? std::optional(number_type{kind, *bytes}) : std::nullopt;
  };
  switch (descr.front()) {
    case 'b':
      return one_of(number_kind::boolean, {1});
    case 'i':
      return one_of(number_kind::signed_integer, {1, 2, 4, 8});
    case 'u':
      return one_of(number_kind::unsigned_integer, {1, 2, 4, 8});
    case 'f':
      return one_of(number_kind::floating, {2, 4, 8, sizeof(long double)});
    case 'c':
      return one_of(number_kind::complex, {8, 16, 2 * sizeof(long double)});
    default:
      return std::nullopt;
  }
}

// Remedy: what the file holds instead of numbers, and the NumPy expression that makes numbers of
// it.
struct remedy {
  std::string holds, expression;
};

remedy remedy_for(const npy_header& header, const std::string& name) {
  const std::string load = numpy_load(name);
  if (header.structured) {
    const auto field = header.fields.empty() ? std::string("x") : header.fields.front();
    return {"records " + header.descr, load + "[" + python_literal(field) + "]"};
  }
  const auto letters = header.descr.find_first_not_of("<>=|");
  switch (letters == std::string::npos ? ' ' : header.descr[letters]) {
    case 'O':
      return {"Python objects", numpy_load(name, "allow_pickle=True") + ".astype('f8')"};
    case 'S':
    case 'U':
      return {"text ('" + header.descr + "')", "np.unique(" + load + ", return_inverse=True)[1]"};
    case 'M':
    case 'm':
      return {"dates or times ('" + header.descr + "')", load + ".view('i8')"};
    default:
      return {"elements of type '" + header.descr + "'", load + ".astype('f8')"};
  }
}

std::string words_for(npy_dimensions wanted) {
  constexpr std::array<std::string_view, 4> numbers{"no", "one", "two", "three"};
  if (wanted.most >= numbers.size())
    return std::string(numbers.at(wanted.least)) + " to " + std::to_string(wanted.most) +
           " dimensions";
  const std::string most = std::string(numbers.at(wanted.most)) + " dimensions";
  if (wanted.least == wanted.most) return most;
  return std::string(numbers.at(wanted.least)) +
         (wanted.least + 1 == wanted.most ? " or " : " to ") + most;
}

}  // namespace

npy_header parse_npy_dictionary(std::string_view text) {
  literal_reader reader(text);
  npy_header header;
  bool descr = false, order = false, shape = false;
  reader.expect('{');
  while (!reader.take('}')) {
    const auto key = reader.string();
    reader.expect(':');
    if (key == "descr") {
      descr = true;
      header.structured = reader.next_is('[');
      header.descr = header.structured ? reader.fields(header.fields) : reader.string();
    } else if (key == "fortran_order") {
      order = true;
      header.fortran_order = reader.boolean();
    } else if (key == "shape") {
      shape = true;
      header.shape = reader.shape();
    } else {
      damaged("'" + key + "' is no key of a .npy header");
    }
    if (!reader.take(',')) {
      reader.expect('}');
      break;
    }
  }
  if (!descr || !order || !shape) damaged("descr, fortran_order or shape is missing");
  return header;
}

std::string npy_preamble(std::string_view descr, const std::vector<std::size_t>& shape) {
  std::string dictionary = "{'descr': '" + std::string(descr) +
                           "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  constexpr std::size_t fixed = 10;  // magic 6, version 2, length 2
  const std::size_t total = (fixed + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(total - fixed - 1, ' ');
  dictionary += '\n';
  std::string preamble("\x93NUMPY\x01\x00", 8);
  preamble += static_cast<char>(dictionary.size() & 0xFFU);
  preamble += static_cast<char>(dictionary.size() >> 8U);
  return preamble + dictionary;
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

number_type numbers_in(const npy_header& header, const std::string& name, npy_dimensions wanted) {
  const std::string load = numpy_load(name);
  auto advise = [&](const std::string& holds, const std::string& expression) {
    return error(name + " holds " + holds + "; convert it with " + numpy_save(name, expression));
  };
  const auto type = header.structured ? std::nullopt : number_type_of(header.descr);
  if (!type) {
    const auto [holds, expression] = remedy_for(header, name);
    throw advise(holds, expression);
  }
  const std::size_t found = header.shape.size();
  if (found == 0 && wanted.least == 1)
    throw advise("a single number, shape ()", "np.atleast_1d(" + load + ")");
  const std::string shape = "an array of shape " + shape_text(header.shape);
  if (found > wanted.most && wanted.most == 1)
    throw advise(shape + (header.fortran_order ? " in Fortran order" : "") + ", not one dimension",
                 load + (header.fortran_order ? ".ravel(order='K')" : ".ravel()"));
  if (found < wanted.least || found > wanted.most) {
    std::string expression = "np.atleast_" + std::to_string(wanted.least) + "d(" + load + ")";
    if (found > wanted.most) {
      expression = load + ".reshape(";
      for (std::size_t i = 0; i + 1 < wanted.most; ++i)
        expression += std::to_string(header.shape[i]) + ", ";
      expression += "-1)";
    }
    throw advise(shape + ", not " + words_for(wanted), expression);
  }
  return *type;
}

number_type common_type(const number_type& a, const number_type& b) {
  using enum number_kind;
  const auto is = [&](number_kind kind) { return a.kind == kind || b.kind == kind; };
  if (a.kind == b.kind) return a.bytes > b.bytes ? a : b;
  if (a.kind == boolean) return b;
  if (b.kind == boolean) return a;
  // The bytes of floating point that hold the numbers, or a part of them.
  const auto part = [](const number_type& type) -> std::size_t {
    if (type.kind == floating) return type.bytes;
    if (type.kind == complex) return type.bytes / 2;
    return std::min<std::size_t>(2 * type.bytes, 8);
  };
  const std::size_t widest = std::max(part(a), part(b));
  if (is(complex)) return {complex, 2 * std::max<std::size_t>(widest, 4)};
  if (is(floating)) return {floating, widest};
  const auto& with_sign = a.kind == signed_integer ? a : b;
  const auto& without = a.kind == signed_integer ? b : a;
  if (with_sign.bytes > without.bytes) return with_sign;
  if (without.bytes == 8) return {floating, 8};
  return {signed_integer, 2 * without.bytes};
}

bool foreign_order(std::string_view descr) {
  constexpr char foreign = std::endian::native == std::endian::little ? '>' : '<';
  return descr.starts_with(foreign);
}

std::string descr_of(const number_type& type) {
  if (type.kind == number_kind::boolean) return "bool";
  constexpr std::string_view letters = "biufc";
  return letters[static_cast<std::size_t>(type.kind)] + std::to_string(type.bytes);
}

namespace {

// Name under which the owner of an unnamed input may save it.
std::filesystem::path saved_name(std::string_view name) {
  return name == "-" || name.starts_with("/dev/") ? "input.npy" : std::filesystem::path(name);
}

bool taken(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::symlink_status(file, ignored).type() !=
         std::filesystem::file_type::not_found;
}

}  // namespace

std::string numpy_load(std::string_view name, std::string_view options) {
  return "np.load(" + python_literal(saved_name(name).string()) +
         (options.empty() ? "" : ", " + std::string(options)) + ")";
}

std::string numpy_save(std::string_view name, const std::string& expression) {
  const auto old = saved_name(name);
  const auto stem = old.parent_path() / (old.stem().string() + "_converted");
  constexpr int most = 100;  // then the last one: what was converted so often is not precious
  auto fresh = stem.string() + ".npy";
  for (int number = 2; taken(fresh) && number < most; ++number)
    fresh = stem.string() + std::to_string(number) + ".npy";
  return "np.save(" + python_literal(fresh) + ", " + expression + ")";
}

}  // namespace pleat::bench
