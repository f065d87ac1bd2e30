//===- ReportTest.cpp - The page of a bundle ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportHtml.h"
#include "SyntheticTables.h"

#include "lathe/Package/Package.h"
#include "lathe/Package/Report.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace lathe;
using namespace lathe::test;
using llvm::StringRef;
namespace json = llvm::json;

static size_t occurrences(StringRef text, StringRef what) {
  return text.count(what);
}

static std::string render(const Bundle &bundle) {
  auto page = renderReport(bundle);
  EXPECT_TRUE(bool(page)) << llvm::toString(page.takeError());
  return page ? *page : "";
}

static std::string refusal(const Bundle &bundle) {
  auto page = renderReport(bundle);
  EXPECT_FALSE(bool(page));
  return page ? "" : llvm::toString(page.takeError());
}

static json::Object makeTarget(const std::string &name,
                               const std::string &arch) {
  return json::Object{
      {"name", name},           {"arch", arch},
      {"source", "data sheet"}, {"peaks", json::Object{{"bf16", 989e12}}},
      {"bandwidth", 4.8e12},    {"achieved_bandwidth", 4.2e12},
      {"launch_floor_us", 3.2}};
}

static json::Object makeBound(const std::string &kind,
                              const std::string &kernel) {
  json::Object bound{{"target", "h200"},     {"regime", "memory"},
                     {"case", kind},         {"roofline_us", 1.5},
                     {"attainable_us", 3.2}, {"kernel", kernel}};
  if (kind != "unserved")
    bound["model_us"] = 3.0;
  return bound;
}

static json::Object makeInstance(const std::string &entry, int64_t rows,
                                 json::Object bound) {
  return json::Object{{"entry", entry},
                      {"phase", "decode"},
                      {"dims", json::Object{{"T", rows}, {"H", 2048}}},
                      {"weight", 0.25},
                      {"flops", json::Object{{"bf16", rows * 6000}}},
                      {"read", rows * 4096},
                      {"write", rows * 4096},
                      {"targets", json::Array{std::move(bound)}}};
}

/// One served and one unserved operator on one target.
static Bundle makeReported() {
  DispatchTable table = makeSignature("norm");
  table.cases = {makeCase("sm_90a", CaseKind::Bucket, {{"T", 1, 64, 1}}),
                 makeCase("sm_90a", CaseKind::Generic, {})};
  Bundle bundle = makeBundle({table});
  json::Object &manifest = bundle.manifest;
  manifest["opset"] = json::Object{{"name", "model"}, {"sha256", "abc"}};
  manifest["targets"] = json::Array{makeTarget("h200", "sm_90a")};
  manifest["instances"] = json::Array{
      makeInstance("norm", 17, makeBound("bucket", table.cases[0].kernel)),
      makeInstance("sort", 9, makeBound("unserved", ""))};
  auto row = [](const std::string &entry, double bucket, double unserved) {
    return json::Object{
        {"entry", entry},   {"operator", "rms_norm"}, {"arch", "sm_90a"},
        {"instances", 1},   {"share", 0.25},          {"exact", 0},
        {"bucket", bucket}, {"generic", 0},           {"unserved", unserved}};
  };
  json::Object hole = row("sort", 0, 0.25);
  hole["reason"] = "operator has no template";
  manifest["coverage"] = json::Object{
      {"entries", json::Array{row("norm", 0.25, 0), std::move(hole)}},
      {"totals", json::Array{row("", 0.25, 0.25)}},
      {"unshaped", 0.5}};
  return bundle;
}

TEST(Report, ShowsWhatTheManifestHolds) {
  std::string page = render(makeReported());
  EXPECT_NE(page.find("Every kernel in this bundle is unproven"),
            std::string::npos);
  EXPECT_EQ(occurrences(page, "<circle class=\"bucket\""), 1u);
  EXPECT_EQ(occurrences(page, "<circle class=\"unserved\""), 1u);
  EXPECT_NE(page.find("<td class=\"dims\">T=17 H=2048</td>"),
            std::string::npos);
  EXPECT_NE(page.find("operator has no template"), std::string::npos);
  EXPECT_NE(page.find("No shape was recorded for 50.0%"), std::string::npos);
  EXPECT_NE(page.find("50.0%</td><td><i class=\"bucket\">"), std::string::npos)
      << "T_roofline over the model's time";
}

TEST(Report, ShowsWhatWasMeasured) {
  Bundle bundle = makeReported();
  EXPECT_NE(render(bundle).find("Nothing was measured"), std::string::npos);

  bundle.tables[0].cases[0].measured =
      MeasuredCase{"H=2048,T=17", 2.5, 2.4, 2.6, "<runner>", 1.031, 1.02, 1.04};
  json::Object &manifest = bundle.manifest;
  manifest["measured"] =
      json::Object{{"device", "GPU & more"}, {"driver", "1.2"}};
  json::Object fit{{"entry", "norm"}, {"arch", "sm_90a"},    {"sizes", 7},
                   {"kernels", 12},   {"correlation", 0.75}, {"regret1", 0.05},
                   {"regret4", 0.01}, {"worst_regret1", 0.2}};
  manifest["model_fit"] = json::Array{json::Object(fit)};
  EXPECT_EQ(refusal(bundle),
            "missing value at manifest.model_fit[0].worst_regret4");
  fit["worst_regret4"] = 0.125;
  manifest["model_fit"] = json::Array{std::move(fit)};
  json::Object &bound =
      *(*(*manifest.getArray("instances"))[0].getAsObject()->getArray(
          "targets"))[0]
           .getAsObject();
  bound["measured_us"] = 2.0;
  std::string page = render(bundle);
  EXPECT_NE(page.find("On GPU &amp; more, driver 1.2"), std::string::npos);
  EXPECT_NE(page.find("title=\"+2.0% to +4.0%\">+3.1%</td>"
                      "<td class=\"kernel\">&lt;runner&gt;</td>"),
            std::string::npos);
  EXPECT_NE(page.find("<td class=\"number\">+12.5%</td>"), std::string::npos);
  EXPECT_NE(page.find(">75.0%</td><td><i class=\"bucket\">"), std::string::npos)
      << "T_roofline over the measured time";
}

TEST(Report, ListsThatAreSummedUp) {
  Bundle bundle = makeReported();
  json::Object &first =
      *(*bundle.manifest.getArray("instances"))[0].getAsObject();
  json::Object list{{"count", 3095}, {"min", 1}, {"max", 256}, {"sum", 9e5}};
  first["dims"] = json::Object{{"LQ", json::Value(std::move(list))}};
  EXPECT_NE(render(bundle).find(">LQ=[3095 values from 1 to 256, sum 900000]<"),
            std::string::npos);
  first["dims"] = json::Object{{"LQ", json::Object{}}};
  EXPECT_EQ(refusal(bundle),
            "missing value at manifest.instances[0].dims.LQ.count");
}

TEST(Report, SaysWhenKernelsAreProven) {
  Bundle bundle = makeReported();
  bundle.tables[0].cases[0].verdict = "PASSED";
  EXPECT_NE(render(bundle).find("1 of 2 kernels are unproven"),
            std::string::npos);
  bundle.tables[0].cases[1].verdict = "PASSED";
  EXPECT_EQ(render(bundle).find("unproven</strong>"), std::string::npos);
}

TEST(Report, EmptyBundles) {
  std::string page = render(Bundle());
  EXPECT_NE(page.find("The bundle holds no kernel"), std::string::npos);
  EXPECT_NE(page.find("records no coverage"), std::string::npos);
  EXPECT_EQ(occurrences(page, "records no instances"), 2u);
  Rng rng(1);
  page = render(makeBundle({makeTable(rng, "norm", {"gfx942"}, 3)}));
  EXPECT_EQ(occurrences(page, "records no instances"), 2u);
  Bundle bundle = makeReported();
  bundle.manifest["instances"] = json::Array{};
  EXPECT_EQ(occurrences(render(bundle), "records no instances"), 1u);
}

TEST(Report, LoadsNothingAndRunsOneScript) {
  std::string page = render(makeReported());
  for (StringRef text : {"http:", "https:", "src=", "url(", "@import", "<link"})
    EXPECT_EQ(page.find(text.str()), std::string::npos) << text.str();
  EXPECT_EQ(occurrences(page, "<script"), 1u);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(Report, EscapesEveryText) {
  const std::string evil = "</title></script><script>\"'&\x01<img onerror=x>";
  Bundle bundle = makeReported();
  json::Object &manifest = bundle.manifest;
  json::Object source{{"name", evil},
                      {"description", evil},
                      {"source", evil},
                      {"sha256", evil}};
  for (StringRef name : {"opset", "histogram"})
    manifest[name] = json::Object(source);
  for (StringRef name : {"lathe", "llvm", "tools"})
    manifest[name] = evil;
  DispatchTable &table = bundle.tables[0];
  table.entry = table.op = evil;
  for (DispatchCase &row : table.cases)
    row.kernel = row.arch = row.verdict = row.origin = evil;
  bundle.images[0].entry = bundle.images[0].arch = evil;
  json::Object target = makeTarget(evil, evil);
  target["source"] = evil;
  target["peaks"] = json::Object{{evil, 989e12}};
  manifest["targets"] = json::Array{std::move(target)};
  json::Object bound = makeBound("bucket", evil);
  bound["target"] = bound["regime"] = evil;
  json::Object instance = makeInstance(evil, 17, std::move(bound));
  instance["phase"] = evil;
  instance["dims"] =
      json::Object{{evil, json::Array{1, 2, 3, 4, 5, 6}}, {"T", 5}};
  instance["flops"] = json::Object{{evil, 12345}};
  manifest["instances"] = json::Array{std::move(instance)};
  json::Object *coverage = manifest.getObject("coverage");
  for (json::Value &value : *coverage->getArray("entries"))
    for (StringRef name : {"entry", "operator", "arch", "reason"})
      (*value.getAsObject())[name] = evil;

  std::string text = render(bundle);
  StringRef page = text;
  EXPECT_EQ(occurrences(page, "<script"), 1u);
  EXPECT_EQ(occurrences(page, "</script>"), 1u);
  EXPECT_EQ(occurrences(page, "<img"), 0u);
  EXPECT_EQ(occurrences(page, "\x01"), 0u);
  EXPECT_GT(occurrences(page, "&lt;img onerror=x&gt;"), 20u);
}

TEST(Report, RefusesOtherForms) {
  Bundle bundle = makeReported();
  bundle.manifest["instances"] = json::Object{};
  EXPECT_EQ(refusal(bundle), "expected array at manifest.instances");
  bundle = makeReported();
  json::Object &first =
      *(*bundle.manifest.getArray("instances"))[0].getAsObject();
  first["read"] = "many";
  EXPECT_EQ(refusal(bundle), "expected number at manifest.instances[0].read");
  first["read"] = 12;
  json::Object &bound = *(*first.getArray("targets"))[0].getAsObject();
  bound["case"] = "special";
  EXPECT_NE(refusal(bundle).find("expected exact, bucket, generic or unserved "
                                 "at manifest.instances[0].targets[0].case"),
            std::string::npos);
  bound["case"] = "generic";
  EXPECT_NE(refusal(bundle).find("'norm' has no generic case with kernel"),
            std::string::npos);
  bound["case"] = "unserved";
  bound["target"] = "tpu";
  EXPECT_EQ(refusal(bundle), "manifest.instances[0]: unknown target 'tpu'");
  json::Array targets;
  for (int i = 0; i < 65; ++i)
    targets.push_back(makeTarget("t" + std::to_string(i), "sm_90a"));
  bundle.manifest["targets"] = std::move(targets);
  EXPECT_EQ(refusal(bundle),
            "manifest.targets: found 65 targets, expected at most 64");
}

TEST(Report, FiguresOfAnySize) {
  Bundle bundle = makeReported();
  json::Array instances;
  for (double flops : {0.0, -1.0, 1e-300, 1e300, double(INFINITY)})
    for (double bytes : {0.0, -5.0, 1.0, 1e300}) {
      json::Object bound = makeBound("unserved", "");
      bound["roofline_us"] = bytes;
      json::Object instance = makeInstance("sort", 1, std::move(bound));
      instance["flops"] = json::Object{{"bf16", flops}};
      instance["read"] = bytes;
      instance["weight"] = flops;
      instances.push_back(std::move(instance));
    }
  bundle.manifest["instances"] = std::move(instances);
  std::string page = render(bundle);
  EXPECT_GT(occurrences(page, "</tr>"), 20u);
  for (StringRef text : {"\"nan", "\"inf", "\"-nan", "\"-inf"})
    EXPECT_EQ(page.find(text.str()), std::string::npos) << text.str();
  json::Object target = makeTarget("h200", "sm_90a");
  target["bandwidth"] = 0;
  bundle.manifest["targets"] = json::Array{std::move(target)};
  EXPECT_NE(render(bundle).find("does not record this target's peaks"),
            std::string::npos);
}

TEST(Report, ManyInstances) {
  Bundle bundle = makeReported();
  constexpr size_t many = 20000;
  json::Array instances;
  for (size_t i = 0; i < many; ++i)
    instances.push_back(
        makeInstance("norm", int64_t(i) + 1,
                     makeBound("bucket", bundle.tables[0].cases[0].kernel)));
  bundle.manifest["instances"] = std::move(instances);
  std::string page = render(bundle);
  EXPECT_EQ(occurrences(page, "<circle "), many);
  EXPECT_EQ(occurrences(page, "<td>decode</td>"), many);
}

TEST(Report, SurvivesARoundTrip) {
  Bundle bundle = makeReported();
  Bundle back =
      llvm::cantFail(parseBundle(llvm::cantFail(serializeBundle(bundle))));
  EXPECT_EQ(render(back), render(bundle));
}

TEST(Report, Texts) {
  EXPECT_EQ(report::escape("a<b>&\"'\xff"),
            "a&lt;b&gt;&amp;&quot;&#39;\xef\xbf\xbd");
  EXPECT_EQ(report::siText(0), "0");
  EXPECT_EQ(report::siText(999.7), "1 k");
  EXPECT_EQ(report::siText(1.979e15), "1.98 P");
  EXPECT_EQ(report::siText(1e30), "1e+12 E");
  EXPECT_EQ(report::shortText(0.0012345), "0.00123");
  EXPECT_EQ(report::shortText(123456), "123456");
  EXPECT_EQ(report::groupedText(1234567), "1\xe2\x80\xaf"
                                          "234\xe2\x80\xaf"
                                          "567");
  EXPECT_EQ(report::percentText(0.9999), "100%");
  EXPECT_EQ(report::percentText(0.0001), "&lt;0.1%");
  report::Instance instance;
  for (int64_t i = 0; i < 6; ++i)
    instance.dims["L"].values.push_back(i);
  instance.dims["L"].isList = true;
  EXPECT_EQ(report::dimsText(instance, false),
            "L=[0,1,2,3 \xe2\x80\xa6 6 values]");
  EXPECT_EQ(report::dimsText(instance, true), "L=[0,1,2,3,4,5]");
}
