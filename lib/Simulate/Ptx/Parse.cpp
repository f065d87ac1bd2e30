//===- Parse.cpp - Statements of inline PTX -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lex.h"
#include "Routine.h"
#include "lathe/Simulate/Simulator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

namespace {
/// Untrusted text: bounds on what one asm may make us hold.
constexpr size_t maxStatements = 4096, maxLocalBytes = 16 * 1024;

class Parser {
public:
  Parser(const Site &site, std::vector<Token> tokens)
      : site(site), tokens(std::move(tokens)), scopes(1) {}

  Expected<Routine> run();

private:
  Error bindOperands();
  Error parseStatement();
  Error parseDeclaration();
  Error parseGuard(Statement &statement);
  Expected<ptx::Operand> parseOperand();
  Expected<ptx::Operand> parseAddress();
  Expected<ptx::Operand> parseVector();
  Expected<ptx::Operand> parseNumber(bool negative);
  Expected<ptx::Operand> parseWord();
  Error resolveLabels();

  const Token &peek() const { return tokens[at]; }
  Token take() {
    return tokens[at].kind == Token::End ? tokens[at] : tokens[at++];
  }
  bool consume(char mark) {
    bool matches = peek().is(mark);
    at += matches;
    return matches;
  }
  Error expect(char mark) {
    if (consume(mark))
      return Error::success();
    return fail(Twine("expected '") + Twine(mark) + "'");
  }
  Error fail(const Twine &what) const {
    const Token &token = peek();
    std::string found =
        token.kind == Token::Operand ? "$" + utostr(token.index) : token.text;
    return createStringError(what + " in inline asm, found '" + found +
                             "' at token " + Twine(at) + " of: " + site.text);
  }

  const Site &site;
  std::vector<Token> tokens;
  size_t at = 0;
  unsigned depth = 0;
  Routine routine;
  std::vector<ptx::Operand> arguments; ///< `$n`
  std::vector<StringMap<Register>> scopes;
  StringMap<uint32_t> labels;
};
} // namespace

static Register inputRegister(const Slot &slot) {
  Register reg;
  reg.base = Register::In;
  reg.offset = slot.offset;
  reg.bytes = slot.bytesPerLane() * slot.lanes;
  reg.isPredicate = slot.bits == 1;
  reg.undefined = slot.undefined;
  return reg;
}

// Outputs first, then inputs; an input tied to an output is that register.
Error Parser::bindOperands() {
  SmallVector<StringRef> constraints;
  StringRef(site.constraints).split(constraints, ',', -1, false);
  unsigned results = 0, inputs = 0;
  auto checkWidth = [&](const Slot &slot) -> Error {
    uint64_t bytes = uint64_t(slot.bytesPerLane()) * slot.lanes;
    if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)
      return Error::success();
    return make_error<UnsupportedError>(std::vector<std::string>{
        "asm operand of " + utostr(bytes) + " bytes: " + site.text});
  };
  for (StringRef constraint : constraints) {
    if (constraint.starts_with("~"))
      continue;
    if (constraint.contains('*'))
      return make_error<UnsupportedError>(std::vector<std::string>{
          "asm constraint '" + constraint.str() + "': " + site.text});
    ptx::Operand operand;
    operand.kind = ptx::Operand::Reg;
    if (constraint.starts_with("=")) {
      if (results >= site.results.size())
        return fail("more output constraints than results");
      const Slot &slot = site.results[results++];
      if (Error error = checkWidth(slot))
        return error;
      operand.reg = inputRegister(slot);
      operand.reg.base = Register::Out;
    } else {
      if (inputs >= site.operands.size())
        return fail("more input constraints than operands");
      const Slot &slot = site.operands[inputs++];
      if (Error error = checkWidth(slot))
        return error;
      unsigned tied;
      if (!constraint.getAsInteger(10, tied)) {
        if (tied >= results || tied >= arguments.size() ||
            arguments[tied].reg.bytes != slot.bytesPerLane() * slot.lanes)
          return fail("operand tied to output " + Twine(tied) +
                      " that does not fit it");
        operand = arguments[tied];
        if (slot.undefined)
          arguments[tied].reg.undefined = operand.reg.undefined = true;
        else if (slot.inResult)
          assert(slot.offset == operand.reg.offset && "tied to another result");
        else if (!routine.moves.empty() &&
                 routine.moves.back().from + routine.moves.back().bytes ==
                     slot.offset &&
                 routine.moves.back().to + routine.moves.back().bytes ==
                     operand.reg.offset)
          routine.moves.back().bytes += operand.reg.bytes;
        else
          routine.moves.push_back(
              {slot.offset, operand.reg.offset, operand.reg.bytes});
      } else if (slot.isConstant) {
        operand.kind = ptx::Operand::Integer;
        operand.bits = slot.constant;
      } else {
        operand.reg = inputRegister(slot);
      }
    }
    arguments.push_back(std::move(operand));
  }
  if (results != site.results.size() || inputs != site.operands.size())
    return fail("constraints do not match the operands");
  return Error::success();
}

static uint8_t registerBytes(StringRef type) {
  return StringSwitch<uint8_t>(type)
      .Case(".pred", 1)
      .Cases({".b8", ".u8", ".s8"}, 1)
      .Cases({".b16", ".u16", ".s16", ".f16", ".bf16"}, 2)
      .Cases({".b32", ".u32", ".s32", ".f32", ".f16x2", ".bf16x2"}, 4)
      .Cases({".b64", ".u64", ".s64", ".f64"}, 8)
      .Default(0);
}

// .reg .b32 a, b; or .reg .pred p<4>;
Error Parser::parseDeclaration() {
  Token type = take();
  Register reg;
  reg.bytes = registerBytes(type.text);
  reg.isPredicate = type.text == ".pred";
  if (!reg.bytes)
    return make_error<UnsupportedError>(
        std::vector<std::string>{".reg " + type.text + ": " + site.text});
  do {
    if (peek().kind != Token::Word)
      return fail("expected a register's name");
    std::string name = take().text;
    unsigned count = 0;
    if (consume('<')) {
      if (peek().kind != Token::Number ||
          StringRef(take().text).getAsInteger(10, count) || count > 1024)
        return fail("expected a number of registers, at most 1024,");
      if (Error error = expect('>'))
        return error;
    }
    for (unsigned i = 0; i < std::max(count, 1u); ++i) {
      reg.offset = routine.localBytes;
      routine.localBytes += 8;
      if (routine.localBytes > maxLocalBytes)
        return fail("too many registers");
      scopes.back()[count ? name + utostr(i) : name] = reg;
    }
  } while (consume(','));
  return expect(';');
}

Expected<ptx::Operand> Parser::parseNumber(bool negative) {
  ptx::Operand operand;
  StringRef text = peek().text;
  if (text.size() == 10 && text.starts_with_insensitive("0f")) {
    operand.kind = ptx::Operand::Single;
    if (text.drop_front(2).getAsInteger(16, operand.bits))
      return fail("expected the eight digits of an f32");
    operand.bits ^= negative ? uint64_t(1) << 31 : 0;
  } else if (text.size() == 18 && text.starts_with_insensitive("0d")) {
    operand.kind = ptx::Operand::Double;
    if (text.drop_front(2).getAsInteger(16, operand.bits))
      return fail("expected the sixteen digits of an f64");
    operand.bits ^= negative ? uint64_t(1) << 63 : 0;
  } else if (text.contains('.') || (!text.starts_with_insensitive("0x") &&
                                    text.contains_insensitive('e'))) {
    double value;
    if (text.getAsDouble(value))
      return fail("expected a number");
    value = negative ? -value : value;
    operand.kind = ptx::Operand::Double;
    std::memcpy(&operand.bits, &value, 8);
  } else {
    text = text.rtrim('U');
    if (text.getAsInteger(0, operand.bits))
      return fail("expected a number");
    operand.bits = negative ? 0 - operand.bits : operand.bits;
  }
  take();
  return operand;
}

Expected<ptx::Operand> Parser::parseWord() {
  ptx::Operand operand;
  std::string name = take().text;
  for (const StringMap<Register> &scope : reverse(scopes)) {
    auto found = scope.find(name);
    if (found == scope.end())
      continue;
    operand.kind = ptx::Operand::Reg;
    operand.reg = found->second;
    return operand;
  }
  operand.name = name;
  if (name == "_")
    operand.kind = ptx::Operand::Sink;
  else if (name == "WARP_SZ")
    operand.bits = 32;
  else
    operand.kind = name[0] == '%' ? ptx::Operand::Special : ptx::Operand::Label;
  return operand;
}

Expected<ptx::Operand> Parser::parseVector() {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Vector;
  if (consume('}'))
    return operand;
  do {
    Expected<ptx::Operand> part = parseOperand();
    if (!part)
      return part.takeError();
    operand.parts.push_back(std::move(*part));
  } while (consume(','));
  if (Error error = expect('}'))
    return std::move(error);
  return operand;
}

Expected<ptx::Operand> Parser::parseAddress() {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Address;
  do {
    Expected<ptx::Operand> part = parseOperand();
    if (!part)
      return part.takeError();
    operand.parts.push_back(std::move(*part));
    bool minus = false;
    if (operand.parts.size() == 1 && (consume('+') || (minus = consume('-')))) {
      minus ^= consume('-');
      Expected<ptx::Operand> offset = parseOperand();
      if (!offset)
        return offset.takeError();
      if (offset->kind != ptx::Operand::Integer)
        return fail("expected a constant offset in an address");
      operand.offset = minus ? -int64_t(offset->bits) : int64_t(offset->bits);
    }
  } while (consume(','));
  if (Error error = expect(']'))
    return std::move(error);
  return operand;
}

Expected<ptx::Operand> Parser::parseOperand() {
  SaveAndRestore deeper(depth, depth + 1);
  if (depth > 4)
    return fail("expected fewer brackets");
  if (consume('{'))
    return parseVector();
  if (consume('['))
    return parseAddress();
  bool negated = consume('!');
  Expected<ptx::Operand> operand = ptx::Operand();
  if (consume('-')) {
    if (peek().kind != Token::Number)
      return fail("expected a number after '-'");
    operand = parseNumber(true);
  } else if (peek().kind == Token::Number) {
    operand = parseNumber(false);
  } else if (peek().kind == Token::Word) {
    operand = parseWord();
  } else if (peek().kind == Token::Operand) {
    if (peek().index >= arguments.size())
      return fail("expected one of " + Twine(arguments.size()) + " operands");
    operand = arguments[take().index];
  } else {
    return fail("expected an operand");
  }
  if (!operand)
    return operand;
  operand->negated = negated;
  if (operand->kind == ptx::Operand::Reg || operand->kind == ptx::Operand::Sink)
    if (consume('|')) {
      Expected<ptx::Operand> second = parseOperand();
      if (!second)
        return second.takeError();
      operand->parts.push_back(std::move(*second));
    }
  return operand;
}

Error Parser::parseGuard(Statement &statement) {
  statement.isGuarded = true;
  statement.guardNegated = consume('!');
  Expected<ptx::Operand> guard = parseOperand();
  if (!guard)
    return guard.takeError();
  if (guard->kind != ptx::Operand::Reg)
    return fail("expected a predicate after '@'");
  statement.guard = guard->reg;
  return Error::success();
}

Error Parser::parseStatement() {
  if (consume('{')) {
    scopes.emplace_back();
    return Error::success();
  }
  if (consume('}')) {
    if (scopes.size() == 1)
      return fail("'}' without '{'");
    scopes.pop_back();
    return Error::success();
  }
  if (consume(';'))
    return Error::success();
  Statement statement;
  if (consume('@'))
    if (Error error = parseGuard(statement))
      return error;
  if (peek().kind != Token::Word)
    return fail("expected an instruction");
  std::string word = take().text;
  if (word == ".reg")
    return parseDeclaration();
  if (word[0] == '.')
    return make_error<UnsupportedError>(
        std::vector<std::string>{word + ": " + site.text});
  if (!statement.isGuarded && consume(':')) {
    if (!labels.try_emplace(word, routine.statements.size()).second)
      return fail("label '" + word + "' twice");
    return Error::success();
  }
  statement.opcode = word;
  SmallVector<StringRef> pieces;
  StringRef(word).split(pieces, '.');
  statement.base = pieces.front().str();
  for (StringRef piece : drop_begin(pieces))
    statement.modifiers.push_back(piece.str());
  if (!consume(';')) {
    do {
      Expected<ptx::Operand> operand = parseOperand();
      if (!operand)
        return operand.takeError();
      statement.operands.push_back(std::move(*operand));
    } while (consume(','));
    if (Error error = expect(';'))
      return error;
  }
  if (routine.statements.size() >= maxStatements)
    return fail("more than " + Twine(maxStatements) + " statements");
  routine.statements.push_back(std::move(statement));
  return Error::success();
}

Error Parser::resolveLabels() {
  for (Statement &statement : routine.statements) {
    bool isBranch = statement.base == "bra";
    for (const ptx::Operand &operand : statement.operands) {
      if (operand.kind != ptx::Operand::Label)
        continue;
      auto found = labels.find(operand.name);
      if (!isBranch || found == labels.end())
        return createStringError("'" + operand.name + "' in inline asm is " +
                                 (isBranch ? "no label" : "no register") +
                                 " of it: " + site.text);
      statement.target = found->second;
    }
  }
  return Error::success();
}

Expected<Routine> Parser::run() {
  if (Error error = bindOperands())
    return std::move(error);
  while (peek().kind != Token::End)
    if (Error error = parseStatement())
      return std::move(error);
  if (scopes.size() != 1)
    return fail("expected '}'");
  if (Error error = resolveLabels())
    return std::move(error);
  return std::move(routine);
}

Expected<Routine> lathe::sim::ptx::parse(const Site &site) {
  Expected<std::vector<Token>> tokens = lex(site.assembly);
  if (!tokens)
    return tokens.takeError();
  return Parser(site, std::move(*tokens)).run();
}
