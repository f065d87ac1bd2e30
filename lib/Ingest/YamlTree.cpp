//===- YamlTree.cpp - Parses YAML into positioned nodes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Yaml.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

using namespace lathe;
using namespace lathe::yaml;
using llvm::StringRef;
using llvm::Twine;

/// Documents come from users; these bound time and memory.
static constexpr size_t maxBytes = 16 << 20;
static constexpr size_t maxNodes = 1000000;
static constexpr unsigned maxDepth = 32;
static constexpr unsigned maxReported = 20;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

char InputError::ID = 0;

void InputError::log(llvm::raw_ostream &os) const { os << text; }

std::error_code InputError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

void Diagnostics::error(unsigned line, unsigned column, const Twine &message) {
  if (++count > maxReported)
    return;
  llvm::raw_string_ostream os(text);
  os << file << ':' << line << ':' << column << ": error: " << message << '\n';
}

llvm::Error Diagnostics::take() const {
  if (!count)
    return llvm::Error::success();
  std::string result = text;
  if (count > maxReported)
    result += file + ": " + std::to_string(count - maxReported) +
              " more errors in this file\n";
  result.pop_back();
  return llvm::make_error<InputError>(std::move(result));
}

//===----------------------------------------------------------------------===//
// Tree building
//===----------------------------------------------------------------------===//

namespace {
/// Thrown through yaml-cpp to stop at the first thing that is refused.
struct Refused {
  YAML::Mark mark;
  std::string message;
};

class TreeBuilder : public YAML::EventHandler {
public:
  NodePtr root;

  void OnDocumentStart(const YAML::Mark &) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override {
    finish(start(mark, Node::Null), anchor, mark);
  }

  void OnScalar(const YAML::Mark &mark, const std::string &tag,
                YAML::anchor_t anchor, const std::string &value) override {
    checkTag(mark, tag);
    auto node = start(mark, Node::Scalar);
    node->quoted = tag == "!";
    node->text = value;
    finish(node, anchor, mark);
  }

  void OnAlias(const YAML::Mark &mark, YAML::anchor_t anchor) override {
    auto it = anchors.find(anchor);
    if (it == anchors.end())
      throw Refused{mark, "an alias to a node that contains it"};
    add(it->second, mark);
  }

  void OnSequenceStart(const YAML::Mark &mark, const std::string &tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark &mark, const std::string &tag,
                  YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Map);
  }
  void OnMapEnd() override { close(); }

private:
  struct Open {
    std::shared_ptr<Node> node;
    YAML::anchor_t anchor;
    YAML::Mark mark;
    NodePtr key; ///< waits for its value
  };

  void checkTag(const YAML::Mark &mark, const std::string &tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      throw Refused{mark, "tags are not supported, found '" + tag + "'"};
  }

  std::shared_ptr<Node> start(const YAML::Mark &mark, Node::Kind kind) {
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->line = mark.line + 1;
    node->column = mark.column + 1;
    return node;
  }

  void open(const YAML::Mark &mark, const std::string &tag,
            YAML::anchor_t anchor, Node::Kind kind) {
    checkTag(mark, tag);
    if (stack.size() >= maxDepth)
      throw Refused{mark, "nested deeper than " + std::to_string(maxDepth) +
                              " levels"};
    stack.push_back({start(mark, kind), anchor, mark, nullptr});
  }

  void close() {
    Open top = std::move(stack.back());
    stack.pop_back();
    finish(top.node, top.anchor, top.mark);
  }

  void finish(std::shared_ptr<Node> node, YAML::anchor_t anchor,
              const YAML::Mark &mark) {
    if (anchor)
      anchors[anchor] = node;
    add(std::move(node), mark);
  }

  /// Puts a finished node in its place; counts what aliases expand to, since
  /// readers walk them as often as they occur.
  void add(NodePtr node, const YAML::Mark &mark) {
    if (stack.empty()) {
      root = std::move(node);
      return;
    }
    Node &parent = *stack.back().node;
    parent.expandedSize += node->expandedSize;
    if (parent.expandedSize > maxNodes)
      throw Refused{mark, "more than " + std::to_string(maxNodes) +
                              " values, counting aliases out"};
    if (parent.kind == Node::Sequence) {
      parent.items.push_back(std::move(node));
    } else if (NodePtr &key = stack.back().key) {
      parent.entries.emplace_back(std::move(key), std::move(node));
      key = nullptr;
    } else {
      key = std::move(node);
    }
  }

  std::vector<Open> stack;
  std::map<YAML::anchor_t, NodePtr> anchors;
};
} // namespace

NodePtr yaml::parseText(StringRef text, Diagnostics &diagnostics) {
  if (text.size() > maxBytes) {
    diagnostics.error(1, 1,
                      "file has " + Twine(text.size()) +
                          " bytes, expected at most " + Twine(maxBytes));
    return nullptr;
  }
  if (size_t zero = text.find('\0'); zero != StringRef::npos) {
    diagnostics.error(text.take_front(zero).count('\n') + 1, 1,
                      "expected text, found a zero byte");
    return nullptr;
  }
  TreeBuilder builder, rest;
  try {
    std::istringstream stream(text.str());
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder) || !builder.root) {
      diagnostics.error(1, 1, "expected a map, found an empty file");
      return nullptr;
    }
    if (parser.HandleNextDocument(rest) && rest.root) {
      diagnostics.error(rest.root->line, rest.root->column,
                        "expected one document, found a second");
      return nullptr;
    }
    return builder.root;
  } catch (const Refused &refused) {
    diagnostics.error(refused.mark.line + 1, refused.mark.column + 1,
                      refused.message);
  } catch (const YAML::Exception &exception) {
    diagnostics.error(std::max(exception.mark.line, 0) + 1,
                      std::max(exception.mark.column, 0) + 1, exception.msg);
  }
  return nullptr;
}

NodePtr yaml::parseFile(StringRef path, Diagnostics &diagnostics) {
  // Checked first, so that a directory or a device is not read.
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status)) {
    diagnostics.error(1, 1, "cannot read: " + error.message());
    return nullptr;
  }
  if (status.type() != llvm::sys::fs::file_type::regular_file) {
    diagnostics.error(1, 1, "cannot read: not a regular file");
    return nullptr;
  }
  if (status.getSize() > maxBytes) {
    diagnostics.error(1, 1,
                      "file has " + Twine(status.getSize()) +
                          " bytes, expected at most " + Twine(maxBytes));
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    diagnostics.error(1, 1, "cannot read: " + buffer.getError().message());
    return nullptr;
  }
  return parseText((*buffer)->getBuffer(), diagnostics);
}
