//===- CandidateFile.cpp - A candidate file, opened -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Runtime/Container.h"
#include "../Runtime/Sha256.h"
#include "lathe/Measure/Candidates.h"

#include <cstring>
#include <fstream>
#include <stdexcept>

using namespace lathe::measure;
using lathe::runtime::OffloadEntry;

constexpr uint64_t maxFileBytes = uint64_t(8) << 30;

static std::string hexDigest(std::string_view bytes) {
  uint8_t digest[32];
  lathe::runtime::sha256(bytes.data(), bytes.size(), digest);
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

/// Into 8-byte aligned words; the size is returned.
static size_t readWords(const std::string &path, std::vector<uint64_t> &words) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot open: " + std::string(strerror(errno)));
  file.seekg(0, std::ios::end);
  std::streamoff size = file.tellg();
  if (size < 0)
    throw std::runtime_error("not a file whose size is known");
  if (uint64_t(size) > maxFileBytes)
    throw std::runtime_error(std::to_string(size) + " bytes, at most " +
                             std::to_string(maxFileBytes) + " are read");
  words.resize((size_t(size) + 7) / 8);
  file.seekg(0);
  file.read(reinterpret_cast<char *>(words.data()), size);
  if (file.gcount() != size)
    throw std::runtime_error("cannot read: " + std::string(strerror(errno)));
  return size_t(size);
}

CandidateFile CandidateFile::open(const std::string &path) try {
  CandidateFile file;
  size_t size = readWords(path, file.storage);
  std::string_view bytes(reinterpret_cast<const char *>(file.storage.data()),
                         size);
  std::vector<OffloadEntry> entries;
  if (lathe::runtime::readContainer(bytes, entries))
    throw std::runtime_error(lathe_last_error());
  std::map<std::string, std::string_view> images; // by hash
  bool hasPlan = false;
  for (const OffloadEntry &entry : entries) {
    std::string role(entry.get("lathe.member"));
    if (role == "candidates") {
      if (hasPlan)
        throw std::runtime_error("there are two plans");
      hasPlan = true;
      file.candidates = readPlan(entry.image);
    } else if (role == "image") {
      images[hexDigest(entry.image)] = entry.image;
    } else if (role == "module" || role == "problem" || role == "artifacts") {
      file.members.push_back(
          {role, std::string(entry.get("lathe.symbol")), entry.image});
    } else {
      throw std::runtime_error("a member's role is '" + role.substr(0, 80) +
                               "', expected those of a candidate file");
    }
  }
  if (!hasPlan)
    throw std::runtime_error("there is no plan: not a candidate file");
  for (Image &image : file.candidates.images) {
    auto found = images.find(image.sha256);
    if (found == images.end())
      throw std::runtime_error("no image has the hash " + image.sha256);
    image.bytes = found->second;
    // Goes to the driver as a C string.
    if (image.isPtx && (image.bytes.empty() || image.bytes.back() != '\0'))
      throw std::runtime_error("the PTX " + image.sha256 + " does not end");
    if (image.bytes.empty())
      throw std::runtime_error("the image " + image.sha256 + " is empty");
  }
  file.digest = hexDigest(bytes);
  return file;
} catch (const std::runtime_error &error) {
  throw std::runtime_error(path + ": " + error.what());
}

std::string_view CandidateFile::member(std::string_view role,
                                       std::string_view symbol) const {
  for (const Member &member : members)
    if (member.role == role && member.symbol == symbol)
      return member.bytes;
  return {};
}
