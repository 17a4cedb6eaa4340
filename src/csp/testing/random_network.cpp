#include "csp/testing/random_network.h"

#include <fmt/format.h>

namespace heddle::csp::testing {

std::string RandomLeaf(std::mt19937& random, const std::string& name) {
  size_t states = 2 + random() % 3;
  std::string out;
  for (size_t s = 0; s < states; ++s) {
    std::string body;
    size_t branches = 1 + random() % 2;
    for (size_t b = 0; b < branches; ++b) {
      std::string next = fmt::format("{}_{}", name, random() % states);
      if (random() % 8 == 0) next = "SKIP";
      body += fmt::format("{}c.{} -> {}", b == 0 ? "" : random() % 4 == 0 ? " |~| " : " [] ", random() % 5, next);
    }
    out += fmt::format("{}_{} = {}\n", name, s, body);
  }
  return out;
}

std::string RandomSet(std::mt19937& random) {
  std::string out = "{";
  for (int i = 0; i < 5; ++i) {
    if (random() % 2 == 0) out += fmt::format("{}c.{}", out.size() == 1 ? "" : ",", i);
  }
  return out + "}";
}

std::string RandomNetwork(std::mt19937& random, const std::vector<std::string>& leaves, size_t from, size_t to) {
  if (to - from == 1) return leaves[from];
  size_t middle = from + 1 + random() % (to - from - 1);
  std::string left = RandomNetwork(random, leaves, from, middle);
  std::string right = RandomNetwork(random, leaves, middle, to);
  std::string both;
  switch (random() % 10) {
    case 0:
      both = fmt::format("({} ; {})", left, right);
      break;
    case 1:
      both = fmt::format("({} /\\ {})", left, right);
      break;
    case 2:
      both = fmt::format("({} [| {} |> {})", left, RandomSet(random), right);
      break;
    case 3:
      both = fmt::format("({} [] {})", left, right);
      break;
    case 4:
      both = fmt::format("({} ||| {})", left, right);
      break;
    case 5:
      both = fmt::format("({} [ {} || {} ] {})", left, RandomSet(random), RandomSet(random), right);
      break;
    case 6:
      both = fmt::format("({} [> {})", left, right);
      break;
    case 7:
      both = fmt::format("({} [c.0 <-> c.1] {})", left, right);
      break;
    default:
      both = fmt::format("({} [| {} |] {})", left, RandomSet(random), right);
  }
  if (random() % 4 == 0) both = fmt::format("({} \\ {})", both, RandomSet(random));
  if (random() % 8 == 0) both = fmt::format("{}[[c.0 <- c.1, c.2 <- c.0]]", both);
  return both;
}

std::string RandomScript(std::mt19937& random, bool reduce) {
  std::string text = "channel c : {0..4}\n";
  std::vector<std::string> leaves;
  size_t count = 2 + random() % 4;
  for (size_t i = 0; i < count; ++i) {
    text += RandomLeaf(random, fmt::format("L{}", i));
    leaves.push_back(fmt::format("L{}_0", i));
  }
  std::string option = reduce ? " :[partial order reduce]" : "";
  text += "IMPL = " + RandomNetwork(random, leaves, 0, count) + "\n";
  text += "SPEC = " + RandomNetwork(random, leaves, 0, 2) + "\n";
  for (const char* model : {"T", "F", "FD"}) {
    text += fmt::format("assert SPEC [{}= IMPL{}\nassert IMPL [{}= SPEC{}\n", model, option, model, option);
    text += fmt::format("assert CHAOS({{|c|}}) [{0}= IMPL \\ {{c.0,c.1}}{1}\n", model, option);
  }
  text += fmt::format("assert IMPL :[deadlock free [F]]{0}\nassert IMPL \\ {{|c|}} :[deadlock free [F]]{0}\n", option);
  text += fmt::format("assert IMPL :[divergence free]{0}\nassert IMPL :[deadlock free]{0}\n", option);
  text += "assert IMPL :[deterministic]\n";
  return text;
}

std::string RandomChains(std::mt19937& random) {
  std::string text = "channel c : {0..4}\nchannel lock, unlock : {0..1}.{0..2}\n";
  size_t threads = 2 + random() % 2;
  std::string all;
  for (size_t i = 0; i < threads; ++i) {
    std::string body = random() % 3 == 0 ? "SKIP" : "STOP";
    for (size_t n = 1 + random() % 4; n-- > 0;) {
      size_t m = random() % 2;
      std::string middle = fmt::format("c.{} -> ", random() % 5);
      if (random() % 8 == 0) middle = fmt::format("c.{} -> c.{} -> ", random() % 5, random() % 5);
      body = fmt::format("lock.{0}.{1} -> {2}unlock.{0}.{1} -> ({3})", m, i, middle, body);
      if (random() % 4 == 0) body = fmt::format("(c.0 -> {0}) [] (c.1 -> {0})", body);
      if (random() % 9 == 0) body = fmt::format("(c.0 -> {0}) [] {0}", body);
    }
    text += fmt::format("T{} = {}\n", i, body);
    all += fmt::format("{}T{}", i == 0 ? "" : " ||| ", i);
  }
  text += "LOCK(m) = lock.m?t -> unlock.m.t -> LOCK(m)\n";
  text += fmt::format("RUNS = ({}) [| {{| lock, unlock |}} |] (LOCK(0) ||| LOCK(1))\n", all);
  text += random() % 3 == 0 ? "IMPL = RUNS [| {c.4} |> (c.4 -> RUNS)\n" : "IMPL = RUNS\n";
  text += "assert CHAOS(Events) [T= IMPL\nassert CHAOS(Events) [F= IMPL\nassert IMPL :[deadlock free [F]]\n";
  text += "assert RUN(Events) [T= IMPL \\ {| lock, unlock |}\nassert T0 [T= IMPL\nassert IMPL :[divergence free]\n";
  return text;
}

}  // namespace heddle::csp::testing
