//===- ReportStyle.cpp - The page's style sheet and script ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportHtml.h"

using namespace lathe;

// The four kinds are told apart by people who do not see colours, too.
const char report::styleSheet[] = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --soft: #59636e;
  --line: #d5dae0; --panel: #f5f7f9; --notice: #fff4d6; --exact: #0072b2;
  --bucket: #009e73; --generic: #e69f00; --unserved: #8a929b; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --ink: #e4e8ec; --soft: #9aa4af; --line: #343b43;
    --panel: #1d2228; --notice: #3a3115; --exact: #56b4e9; --bucket: #2fc797;
    --generic: #f2b83f; --unserved: #7b8590; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1680px; padding: 24px; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 28px; overflow-wrap: anywhere; }
h2 { margin: 40px 0 8px; font-size: 20px; }
h3 { margin: 20px 0 4px; font-size: 16px; }
p { max-width: 80em; margin: 8px 0; }
small { color: var(--soft); font-weight: normal; }
code, .kernel { font: 12px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
nav a { color: var(--exact); margin-right: 16px; }
.notice { background: var(--notice); padding: 10px 14px; border-radius: 6px; }
.tiles, .legend { display: flex; flex-wrap: wrap; gap: 8px 12px; padding: 0;
  list-style: none; }
.tiles li { background: var(--panel); border-radius: 6px; padding: 8px 14px; }
.tiles b { font-size: 20px; display: block; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; }
th, td { text-align: left; padding: 4px 10px; vertical-align: top;
  border-bottom: 1px solid var(--line); }
thead th { background: var(--panel); white-space: nowrap; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.facts th { white-space: nowrap; }
.facts td { overflow-wrap: anywhere; }
.coverage { width: 100%; }
.coverage td { min-width: 150px; }
.coverage td.number { min-width: 0; }
.coverage small { display: block; }
.coverage th small { display: inline; }
.bar { display: block; width: 100%; height: 12px; margin-top: 4px; }
.legend i, td i { display: inline-block; width: 11px; height: 11px;
  margin-right: 6px; border-radius: 2px; }
i.exact { background: var(--exact); }
i.bucket { background: var(--bucket); }
i.generic { background: var(--generic); }
i.unserved { background: var(--unserved); opacity: .6; }
rect.exact, circle.exact { fill: var(--exact); }
rect.bucket, circle.bucket { fill: var(--bucket); }
rect.generic, circle.generic { fill: var(--generic); }
rect.unserved { fill: var(--unserved); opacity: .6; }
rect.empty { fill: var(--panel); }
circle { stroke: var(--paper); stroke-width: .7; fill-opacity: .8; }
circle.unserved { fill: var(--paper); fill-opacity: .3; stroke: var(--unserved);
  stroke-width: 1.5; }
circle:hover { stroke: var(--ink); stroke-width: 2; }
figure { margin: 0; }
.plot { width: 100%; max-width: 1150px; font-size: 12px; }
.plot text { fill: var(--soft); }
.plot .peak { font-size: 11px; }
.grid { stroke: var(--line); stroke-width: .6; }
.roof { stroke: var(--ink); stroke-width: 1.5; }
.achieved { stroke-dasharray: 6 4; stroke: var(--soft); }
#all td { white-space: nowrap; padding: 4px 8px; }
#all td.dims { white-space: normal; min-width: 20em; }
#instances .scroll { max-height: 90vh; overflow: auto; }
#all thead th { position: sticky; top: 0; padding: 4px 8px; }
#all th button { all: unset; cursor: pointer; }
#all th button:focus-visible { outline: 2px solid var(--exact); }
#all th[aria-sort]::after { content: " \2193"; }
#all th[aria-sort=ascending]::after { content: " \2191"; }
#filter input { width: 24em; max-width: 100%; font: inherit; padding: 3px 8px; }
@media print { .scroll, #instances .scroll { overflow: visible;
  max-height: none; } }
)css";

// Numbers sort from large to small first, texts from small to large; a second
// click turns the order round.
const char report::tableScript[] = R"js(
(function () {
  "use strict";
  var table = document.getElementById("all");
  if (!table) return;
  var body = table.tBodies[0], rows = Array.from(body.rows);
  Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
    var button = document.createElement("button"), down = true;
    button.textContent = head.textContent;
    head.textContent = "";
    head.appendChild(button);
    button.addEventListener("click", function () {
      var numeric = head.classList.contains("number");
      down = head.hasAttribute("aria-sort") ? !down : numeric;
      Array.from(head.parentNode.cells).forEach(function (other) {
        other.removeAttribute("aria-sort");
      });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.sort(function (a, b) {
        var x = a.cells[column], y = b.cells[column];
        var order = numeric ? x.dataset.key - y.dataset.key
                            : x.textContent.localeCompare(y.textContent, "en",
                                                          { numeric: true });
        return down ? -order : order;
      });
      rows.forEach(function (row) { body.appendChild(row); });
    });
  });
  var filter = document.getElementById("filter");
  var input = filter.querySelector("input"), output = filter.querySelector("output");
  function apply() {
    var words = input.value.toLowerCase().split(/\s+/).filter(Boolean), shown = 0;
    rows.forEach(function (row) {
      var text = row.textContent.toLowerCase();
      row.hidden = !words.every(function (word) { return text.includes(word); });
      if (!row.hidden) ++shown;
    });
    output.textContent = shown + " of " + rows.length + " rows";
  }
  input.addEventListener("input", apply);
  filter.hidden = false;
  apply();
})();
)js";
