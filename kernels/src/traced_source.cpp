// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/traced_source.hpp>

#include <algorithm>
#include <string>

#include <hocket/core/shape.hpp>

#include "device/bodies.hpp"
#include "device/double_functions.hpp"

namespace hocket::detail {

namespace {

/// A product and a sum stay two operations, as on the host.
constexpr const char* opencl_exact = "#pragma OPENCL FP_CONTRACT OFF\n";

/// More work-items than any device runs at once; each takes several elements then.
constexpr std::size_t max_items = std::size_t{1} << 20;

/// How many elements in a row one work-item of a compiling CPU takes.
constexpr std::size_t elements_each = 4096;

std::size_t largest(const launch_shape& shape) {
  std::size_t most = 0;
  for (const index_list& extents : shape) most = std::max(most, volume(extents));
  return most;
}

std::string prelude_for(kernel_format format, const std::string& text) {
  if (format == kernel_format::opencl_c) return opencl_exact;
  if (format == kernel_format::cuda_c) return "";  // an option of its compiler says the same
  if (text.find("hocket_") == std::string::npos) return "";
  return std::string(glsl_double_functions);
}

std::vector<std::string> parameter_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) names.push_back("p" + std::to_string(k));
  return names;
}

/// The statements for the element i: all reads, then all writes.
struct element_text {
  std::string text;
  std::string count;  ///< how many elements there are
  std::vector<element_type> types;
};

/// An element of a buffer is its name with this behind it.
std::optional<element_text> text_of(const std::vector<parameter>& parameters,
                                    const std::vector<traced_result>& results, kernel_format format,
                                    const std::string& behind = "(i)") {
  element_text made;
  std::vector<std::string> places = parameter_names(parameters.size());
  std::vector<std::string> values;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k].is == parameter::kind::buffer) {
      if (made.count.empty()) made.count = places[k] + "_count";
      places[k] += behind;
    }
    values.push_back(read_text(parameters[k].type, places[k]));
  }
  std::vector<expression> wanted;
  for (const traced_result& result : results) wanted.push_back(result.value);
  const auto made_text = rendered(wanted, values, format);
  if (!made_text) return std::nullopt;
  made.text = made_text->statements;
  for (std::size_t r = 0; r < results.size(); ++r) {
    const std::size_t k = results[r].parameter;
    made.text +=
        places[k] + " = " + written_text(parameters[k].type, made_text->results[r]) + ";\n";
  }
  made.types = made_text->types;
  return made;
}

kernel_pass pass_in_steps(const element_text& element) {
  return {"uint count = " + element.count +
              ";\nuint step = ITEMS0;\nfor (uint i = ITEM(0); i < count; i += step) {\n" +
              element.text + "}",
          {64, 1, 1},
          [](const launch_shape& shape) {
            return grid{std::min(largest(shape), max_items), 1, 1};
          }};
}

/// A run of elements for each group of eight lanes, which go over it side by side. A driver limits
/// the number of groups.
constexpr std::size_t least_run = 4096;
constexpr std::size_t max_runs = 32768;

std::size_t run_of(std::size_t count) { return std::max(count / max_runs / 8 * 8 + 8, least_run); }

kernel_pass pass_in_lanes(const element_text& element, const std::string& before = {}) {
  return {"uint count = " + element.count + ";\nuint run = max(count / " +
              std::to_string(max_runs) + "u / 8u * 8u + 8u, " + std::to_string(least_run) +
              "u);\nuint end = min(GROUP(0) * run + run, count);\n"
              "uint i = GROUP(0) * run + LOCAL_ITEM(0);\n" +
              before + "for (; i < end; i += 8u) {\n" + element.text + "}",
          {8, 1, 1},
          [](const launch_shape& shape) {
            const std::size_t run = run_of(largest(shape));
            return grid{(largest(shape) + run - 1) / run * 8, 1, 1};
          }};
}

/// Four elements at once where all of them are words: to these devices a load of a vector is one
/// load. Empty where there are others, or where a compiler would take long over them.
struct in_fours {
  std::string bindings;  ///< the buffers as arrays of vectors
  std::string loop;      ///< before the one over single elements
};

/// Of the statements for one element.
constexpr std::size_t max_statements = 64;

in_fours fours_of(const std::vector<parameter>& parameters,
                  const std::vector<traced_result>& results, const element_text& element) {
  const auto statements = std::ranges::count(element.text, '\n');
  if (static_cast<std::size_t>(statements) > max_statements) return {};
  const std::vector<std::string> names = parameter_names(parameters.size());
  std::string ranks = "1", offsets = "0u", begins, first, last;
  in_fours made;
  std::size_t binding = 0;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const parameter& p = parameters[k];
    if (p.is != parameter::kind::buffer) continue;
    if (size_of(p.type) != sizeof(std::uint32_t)) return {};
    const std::string& name = names[k];
    const std::string vector = p.type == element_type::f32   ? "vec4 "
                               : p.type == element_type::i32 ? "ivec4 "
                                                             : "uvec4 ";
    const std::string place = name + "_fours[" + name + "_first + at]";
    made.bindings += "layout(set = 0, binding = " + std::to_string(binding++) +
                     ", std430) buffer " + name + "_in_fours { " + vector + name + "_fours[]; };\n";
    ranks += " && " + name + "_rank == 1";
    offsets += " | " + name + "_offset";
    begins += ", " + name + "_first = " + name + "_offset / 4u";
    first += vector + name + "_four" + (reads_content(p.mode) ? " = " + place : "") + ";\n";
    const bool written = std::ranges::count(results, k, &traced_result::parameter) != 0;
    if (written) last += place + " = " + name + "_four;\n";
  }
  made.loop =
      "#if " + ranks + "\nif (((" + offsets + ") & 3u) == 0u) {\nuint whole = end / 4u" + begins +
      ";\nfor (uint at = GROUP(0) * run / 4u + LOCAL_ITEM(0); at < whole; at += 8u) {\n" + first;
  for (std::size_t part = 0; part < 4; ++part) {
    const std::string of_four = std::to_string(part);
    const auto one = text_of(parameters, results, kernel_format::glsl, "_four[" + of_four + "]");
    made.loop += "{\nconst uint i = at * 4u + " + of_four + "u;\n" + one->text + "}\n";
  }
  made.loop += last + "}\ni = whole * 4u + LOCAL_ITEM(0);\n}\n#endif\n";
  return made;
}

/// Consecutive elements in one loop, which the compiler of the device vectorises.
kernel_pass pass_in_runs(const element_text& element) {
  const std::string each = std::to_string(elements_each) + "u";
  return {"uint begin = ITEM(0) * " + each + ";\nuint count = " + element.count +
              ";\nuint end = begin + min(count - begin, " + each +
              ");\nfor (uint i = begin; i < end; ++i) {\n" + element.text + "}",
          {1, 1, 1},
          [](const launch_shape& shape) {
            return grid{(largest(shape) + elements_each - 1) / elements_each, 1, 1};
          }};
}

/// How many partial results there are: so many together for each number of elements, at most 256.
constexpr std::size_t max_partials = 256;
struct partial_count {
  std::size_t elements;
  std::size_t together;

  [[nodiscard]] std::size_t of(std::size_t count) const {
    return std::min(count / elements + 1, max_partials / together) * together;
  }
  /// PARTIALS in the text of a pass.
  [[nodiscard]] std::string macro() const {
    return define("PARTIALS", "(min(x_count / " + std::to_string(elements) + "u + 1u, " +
                                  std::to_string(max_partials / together) + "u) * " +
                                  std::to_string(together) + "u)");
  }
};

constexpr partial_count group_partials{8192, 1};
constexpr partial_count lane_partials{512, 8};
constexpr partial_count run_partials{4096, 1};

std::function<grid(const launch_shape&)> items_for(partial_count partials, std::size_t each = 1) {
  return [=](const launch_shape& shape) {
    return grid{partials.of(volume(shape[0])) * each, 1, 1};
  };
}

/// A group for each partial result; memory that the group shares takes its part of a tree.
std::vector<kernel_pass> passes_of_groups(const std::string& type) {
  const std::string tree =
      "part[LOCAL_ITEM(0)] = sum;\n"
      "for (uint half_of_it = 128u; half_of_it > 0u; half_of_it /= 2u) {\n"
      "  BARRIER();\n"
      "  if (LOCAL_ITEM(0) < half_of_it) part[LOCAL_ITEM(0)] =\n"
      "    hocket_combine(part[LOCAL_ITEM(0)], part[LOCAL_ITEM(0) + half_of_it]);\n"
      "}\n";
  const std::vector<std::string> shared = {type + " part[256]"};
  return {
      {type +
           " sum = IDENTITY;\n"
           "for (uint i = ITEM(0); i < x_count; i += ITEMS0) sum = hocket_combine(sum, VALUE(i));" +
           "\n" + tree + "if (LOCAL_ITEM(0) == 0u) { PUT(GROUP(0), part[0]); }",
       {256, 1, 1},
       items_for(group_partials, 256),
       shared},
      {type +
           " sum = IDENTITY;\n"
           "if (LOCAL_ITEM(0) < PARTIALS) sum = GET(LOCAL_ITEM(0));\n" +
           tree + "if (LOCAL_ITEM(0) == 0u) result(0) = FINISH(part[0]);",
       {256, 1, 1},
       [](const launch_shape&) {
         return grid{1, 1, 1};
       },
       shared}};
}

/// One work-item combines the partial results.
kernel_pass last_pass(const std::string& type) {
  return {type +
              " sum = GET(0);\n"
              "uint count = PARTIALS;\n"
              "for (uint k = 1u; k < count; ++k) sum = hocket_combine(sum, GET(k));\n"
              "if (ITEM(0) == 0u) result(0) = FINISH(sum);",
          {1, 1, 1},
          [](const launch_shape&) {
            return grid{1, 1, 1};
          }};
}

/// Neighbouring work-items take neighbouring elements.
std::vector<kernel_pass> passes_of_lanes(const std::string& type) {
  constexpr std::size_t chains = 4;
  std::string first, block, last;
  for (std::size_t c = 0; c < chains; ++c) {
    const std::string sum = "sum" + std::to_string(c);
    first += type + " " + sum + " = IDENTITY;\n";
    block += sum + " = hocket_combine(" + sum + ", VALUE(i + " + std::to_string(8 * c) + "u));\n";
    if (c > 0) last += "sum0 = hocket_combine(sum0, " + sum + ");\n";
  }
  return {{"uint run = x_count / ITEMS0 * 8u + 8u;\n"
           "uint i = min(GROUP(0) * run + LOCAL_ITEM(0), x_count);\n"
           "uint end = min(GROUP(0) * run + run, x_count);\n" +
               first + "for (; i + 24u < end; i += 32u) {\n" + block +
               "}\nfor (; i < end; i += 8u) sum0 = hocket_combine(sum0, VALUE(i));\n" + last +
               "PUT(ITEM(0), sum0);",
           {8, 1, 1},
           items_for(lane_partials)},
          last_pass(type)};
}

/// Each work-item has consecutive elements, in chains of which the compiler makes vectors.
std::vector<kernel_pass> passes_of_runs(const std::string& type) {
  return {
      {"uint each = x_count / ITEMS0 + 1u;\n"
       "uint i = min(ITEM(0) * each, x_count);\n"
       "uint end = i + min(each, x_count - i);\n" +
           type +
           " chain[16];\n"
           "for (uint c = 0u; c < 16u; ++c) chain[c] = IDENTITY;\n"
           "for (; end - i >= 16u; i += 16u) {\n"
           "  for (uint c = 0u; c < 16u; ++c) chain[c] = hocket_combine(chain[c], VALUE(i + c));\n"
           "}\n"
           "for (uint c = 0u; i + c < end; ++c) chain[c] = hocket_combine(chain[c], VALUE(i + "
           "c));\n"
           "for (uint h = 8u; h > 0u; h /= 2u) {\n"
           "  for (uint c = 0u; c < h; ++c) chain[c] = hocket_combine(chain[c], chain[c + h]);\n"
           "}\n"
           "PUT(ITEM(0), chain[0]);",
       {1, 1, 1},
       items_for(run_partials)},
      last_pass(type)};
}

/// The value of the elements i: VALUE(i), and the function that it calls if there is a map.
struct value_text {
  std::vector<std::string> names;  ///< of the inputs
  std::string statements, functions;
  std::vector<element_type> types;
};

std::optional<value_text> value_of(const traced_map& map, element_type result,
                                   kernel_format format) {
  value_text made;
  std::vector<std::string> elements;
  std::string parameters, arguments;
  for (std::size_t k = 0; k < map.inputs.size(); ++k) {
    const std::string number = std::to_string(k), comma = k == 0 ? "" : ", ";
    made.names.push_back(k == 0 ? "x" : "x" + number);
    elements.push_back(read_text(map.inputs[k], "e" + number));
    parameters += comma + type_name(map.inputs[k]) + " e" + number;
    arguments += comma + made.names.back() + "(i)";
  }
  if (map.value == nullptr) {
    made.functions = define("VALUE(i)", arguments);
    return made;
  }
  const auto body = rendered({map.value}, elements, format);
  if (!body) return {};
  made.statements = body->statements;
  made.types = body->types;
  made.functions = std::string(type_name(result)) + " hocket_map(" + parameters + ") {\n" +
                   body->statements + "return " + body->results[0] + ";\n}\n" +
                   define("VALUE(i)", "hocket_map(" + arguments + ")");
  return made;
}

}  // namespace

std::vector<kernel_source> elementwise_sources(const std::vector<parameter>& parameters,
                                               const std::vector<traced_result>& results,
                                               std::span<const kernel_format> formats) {
  std::vector<kernel_source> made;
  if (results.empty()) return made;
  const std::vector<std::string> names = parameter_names(parameters.size());
  for (const kernel_format format : traced_formats) {
    if (std::ranges::find(formats, format) == formats.end()) continue;
    const auto element = text_of(parameters, results, format);
    if (!element) continue;
    const std::string prelude = prelude_for(format, element->text);
    if (has_cpu_styles(format)) {
      const in_fours fours =
          format == kernel_format::glsl ? fours_of(parameters, results, *element) : in_fours{};
      made.push_back({format,
                      names,
                      {pass_in_lanes(*element, fours.loop)},
                      prelude + fours.bindings,
                      {},
                      lane_styles(),
                      element->types});
    }
    made.push_back({format, names, {pass_in_steps(*element)}, prelude, {}, {}, element->types});
    if (format == kernel_format::opencl_c) {
      made.insert(made.begin(), {format,
                                 names,
                                 {pass_in_runs(*element)},
                                 prelude,
                                 {},
                                 {device_style::cpu_compiler},
                                 element->types});
    }
  }
  return made;
}

std::string scratch_macros(element_type type, kernel_format format) {
  const std::string name = type_name(type);
  if (type == element_type::f32) {
    return "#define PUT(k, v) scratch[k] = FLOAT_BITS(v)\n"
           "#define GET(k) BITS_FLOAT(scratch[k])\n";
  }
  if (size_of(type) <= sizeof(std::uint32_t)) {
    return "#define PUT(k, v) scratch[k] = AS(u32, v)\n#define GET(k) AS(" + name +
           ", scratch[k])\n";
  }
  if (format == kernel_format::cuda_c) {
    const std::string place = "((" + name + "*)scratch)[k]";
    return "#define PUT(k, v) " + place + " = (v)\n#define GET(k) " + place + "\n";
  }
  if (format == kernel_format::opencl_c) {
    return "#define PUT(k, v) vstore2(as_uint2(v), k, scratch)\n#define GET(k) as_" +
           std::string(type == element_type::f64   ? "double"
                       : type == element_type::i64 ? "long"
                                                   : "ulong") +
           "(vload2(k, scratch))\n";
  }
  const std::string words = "(uvec2(scratch[2u * (k)], scratch[2u * (k) + 1u]))";
  const bool real = type == element_type::f64;
  return std::string("#define PUT(k, v) { uvec2 words = ") +
         (real ? "unpackDouble2x32(v)" : "unpackUint2x32(u64(v))") +
         "; scratch[2u * (k)] = words.x; scratch[2u * (k) + 1u] = words.y; }\n#define GET(k) " +
         (real ? "packDouble2x32" + words : name + "(packUint2x32" + words + ")") + "\n";
}

std::vector<kernel_source> copy_bodies(element_type of) {
  const std::size_t size = size_of(of);
  const std::size_t word = size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1;
  const element_type words = word == 4   ? element_type::u32
                             : word == 2 ? element_type::u16
                                         : element_type::u8;
  const std::string structure = std::string("struct hocket_element { ") + type_name(words) +
                                " words[" + std::to_string(size / word) + "]; };\n";
  std::vector<kernel_source> made;
  for (const kernel_format format : traced_formats) {
    const std::string type = !is_structure(of)                   ? ""
                             : format == kernel_format::opencl_c ? "struct hocket_element "
                                                                 : "hocket_element ";
    const std::string by_words = "for (uint w = 0u; w < " + std::to_string(size / word) +
                                 "u; ++w) p1(i).words[w] = p0(i).words[w];\n";
    const element_text element{
        is_structure(of) ? by_words : "p1(i) = p0(i);\n", "p0_count", {words}};
    const auto add = [&](kernel_pass pass, std::vector<device_style> styles) {
      kernel_source source{format, {type + "p0", type + "p1"}, {std::move(pass)}};
      source.styles = std::move(styles);
      source.types = element.types;
      if (is_structure(of)) source.structures = structure;
      made.push_back(std::move(source));
    };
    if (format == kernel_format::opencl_c) add(pass_in_runs(element), {device_style::cpu_compiler});
    if (has_cpu_styles(format)) add(pass_in_lanes(element), lane_styles());
    add(pass_in_steps(element), {});
  }
  return made;
}

std::vector<kernel_source> reduction_sources(const scalar_argument& identity,
                                             const expression& combined, const traced_map& map,
                                             const std::string& finish) {
  std::vector<kernel_source> made;
  const std::string type = type_name(identity.type);
  const auto scratch = [words = (size_of(identity.type) + 3) / 4](const launch_shape&) {
    return max_partials * words;
  };
  for (const kernel_format format : traced_formats) {
    const auto body = rendered({combined}, {"a", "b"}, format);
    const auto value = value_of(map, identity.type, format);
    if (!body || !value) continue;
    const std::string functions =
        prelude_for(format, body->statements + value->statements) + type + " hocket_combine(" +
        type + " a, " + type + " b) {\n" + body->statements + "return " + body->results[0] +
        ";\n}\n#define IDENTITY " + literal_text(identity, format) + "\n" +
        define("FINISH(v)", finish) + scratch_macros(identity.type, format) + value->functions;
    std::vector<std::string> names = value->names;
    names.emplace_back("result");
    std::vector<element_type> types = body->types;
    types.insert(types.end(), value->types.begin(), value->types.end());
    const auto add = [&](std::vector<kernel_pass> passes, partial_count partials,
                         std::vector<device_style> styles) {
      made.push_back({format, names, std::move(passes), functions + partials.macro(), scratch,
                      std::move(styles), types});
    };
    add(passes_of_groups(type), group_partials, {device_style::gpu});
    if (!has_cpu_styles(format)) continue;
    add(passes_of_lanes(type), lane_partials, lane_styles());
    add(passes_of_runs(type), run_partials, {device_style::cpu_compiler});
  }
  return made;
}

}  // namespace hocket::detail
