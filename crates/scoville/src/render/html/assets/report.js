// Draws the report's figures from the embedded data and keeps the selection in the address. It computes no statistic:
// every number below was computed before the file was written, and is looked up, decoded and printed.
"use strict";
(async () => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const data = JSON.parse(await unpack($("#data").textContent));
  for (const library of $$("script.library")) {
    const script = document.createElement("script");
    script.textContent = await unpack(library.textContent);
    document.head.append(script);
  }
  const measures = new Map(data.measures.map((m) => [m.id, m]));
  const state = { baseline: data.baseline, reference: null, measure: "wall", size: data.sizes[0]?.id, runtime: null, theme: null };

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }

  // --- numbers as the tables in the file print them -------------------------------------------------------------

  function significant(x) {
    if (!Number.isFinite(x)) return "?";
    const size = Math.abs(x);
    if (size === 0) return "0";
    if (size < 1e-3 || size >= 1e6) return x.toExponential(2);
    const before = Number(size.toExponential(2).split("e")[1]);
    const [whole, rest] = x.toFixed(Math.min(5, Math.max(0, 2 - before))).split(".");
    const grouped = whole.replace("-", "").length < 5 ? whole : whole.replace(/\B(?=(\d{3})+$)/g, "\u202f");
    return rest ? `${grouped}.${rest}` : grouped;
  }

  function scaled(x, units, step) {
    const [size, unit] = units.find(([s]) => Math.abs(x) < s * step * (1 - 5e-4)) ?? units.at(-1);
    return `${significant(x / size)} ${unit}`;
  }

  const duration = (s) => scaled(s * 1e9, [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]], 1000);
  const bytes = (b) => scaled(b, ["B", "KiB", "MiB", "GiB", "TiB"].map((u, i) => [1024 ** i, u]), 1024);
  function percent(share) {
    const p = share * 100;
    if (Math.abs(p) >= 99.95 || p === 0) return `${p.toFixed(0)} %`;
    return Math.abs(p) < 0.05 ? "<0.1 %" : `${p.toFixed(1)} %`;
  }

  const inUnit = (x, measure) => ({ s: duration, B: bytes, "%": percent })[measure.unit](x);
  const show = {
    text: (x) => String(x),
    ratio: significant,
    measured: (x) => inUnit(x, measures.get(state.measure)),
    seconds: duration,
    percent,
    count: (x) => String(x),
  };
  const between = (low, high, print) => (low == null ? "" : ` [${print(low)}–${print(high)}]`);

  // --- looking up -----------------------------------------------------------------------------------------------

  const stepped = (q) => Math.exp(q / data.steps);
  const point = (q) => Math.exp(q / data.pointSteps);
  const mirrored = (sign) => sign.replace(/[+-]/g, (c) => (c === "+" ? "-" : "+"));
  const typographic = (sign) => sign.replaceAll("-", "−");

  /** Every pair of a group's measure by "a b", both directions; made when first asked for. */
  function pairsOf(group, measure) {
    group.decoded ??= {};
    return (group.decoded[measure] ??= decode(group, group.p.order, group.p[measure], measure));
  }

  function decode(group, order, columns, measure) {
    const pairs = new Map();
    const arm = (q, d) => (d == null ? null : stepped(q + d));
    const pair = (q, low, high, sign, n, disturbed = "") => ({ ratio: stepped(q), low: arm(q, low), high: arm(q, high), sign, n, disturbed });
    const marked = new Map(columns.x ?? []);
    // A ratio is stored as its difference from that of the two estimates.
    const value = (r) => group.c.find((cell) => cell.r === r).e[measure]?.[0];
    const expected = (a, b) => Math.round(Math.log(value(a) / value(b)) * data.steps) || 0;
    const negative = (d) => (d == null ? null : -d);
    let at = 0;
    for (let i = 0; i < order.length; i++) {
      for (let j = i + 1; j < order.length; j++, at++) {
        const [difference, low, high, sign, n] = ["q", "l", "h", "g", "n"].map((c) => columns[c][at]);
        if (difference == null) continue;
        const q = difference + expected(order[i], order[j]);
        pairs.set(`${order[i]} ${order[j]}`, pair(q, low, high, sign, n, marked.get(at)));
        pairs.set(`${order[j]} ${order[i]}`, pair(-q, negative(high), negative(low), mirrored(sign), n, marked.get(at)));
      }
    }
    for (const [a, b, [q, low, high], sign, n] of columns.extra ?? []) {
      pairs.set(`${a} ${b}`, pair(q, low, high, sign, n, pairs.get(`${b} ${a}`)?.disturbed));
    }
    return pairs;
  }

  const groupsHere = () => data.groups.filter((g) => g.z === state.size);
  /** A benchmark's group of the size chosen, or its first where it was not measured at that size. */
  const groupOf = (benchmark) => {
    const own = data.groups.filter((g) => g.b === benchmark);
    return own.find((g) => g.z === state.size) ?? own[0];
  };
  const name = (cell) => data.runtimes[cell.r];
  const hasNumbers = (runtime) => groupsHere().some((g) => g.c.some((cell) => name(cell) === runtime && cell.e));
  /** What was judged instead of a baseline without numbers. */
  const judged = () => data.summaries.find((s) => s.z === state.size)?.b;
  const index = (runtime) => data.runtimes.indexOf(runtime);

  function estimate(cell, measure) {
    const e = cell.e?.[measure.id];
    if (!e) return null;
    const value = e[0] * measure.factor;
    const [n, low, high] = [e[1], end(value, e[2]), end(value, e[3])];
    return { value, low, high, n, method: e[4] ?? "none", disturbed: cell.d ?? "", text: inUnit(value, measure) + between(low, high, (x) => inUnit(x, measure)) };
  }

  /** An interval's end, stored in steps from the value. */
  const end = (value, q) => (q == null ? null : value * stepped(q));

  function relation(group, measure, a, b, row) {
    const pair = pairsOf(group, measure).get(`${a} ${b}`);
    if (!pair) return null;
    const sign = typographic(pair.sign);
    const text = `${significant(pair.ratio)}${between(pair.low, pair.high, significant)} ${sign}`.trim();
    return { ...row, ...pair, sign, text, label: `${significant(pair.ratio)} ${sign}`.trim() };
  }

  // --- rows of the figures --------------------------------------------------------------------------------------

  const rows = {
    heat() {
      return groupsHere().flatMap((g) => g.c.map((cell) => {
        const row = { benchmark: g.b, runtime: name(cell) };
        if (cell.w) return { ...row, label: cell.w, text: cell.w };
        if (name(cell) === state.reference) return { ...row, ratio: 1, label: "1", text: "the baseline", sign: "" };
        return relation(g, state.measure, cell.r, index(state.reference), row) ?? { ...row, label: "no pair", text: "no pair" };
      }));
    },
    geomean() {
      return data.summaries
        .filter((s) => s.m === state.measure && s.b === state.reference && s.z === state.size)
        .map((s) => {
          const [ratio] = s.e;
          const [low, high] = [end(ratio, s.e[2]), end(ratio, s.e[3])];
          return { runtime: s.r, ratio, low, high, least: s.least[1], most: s.most[1], n: s.n, disturbed: s.d ?? "",
                   text: significant(ratio) + between(low, high, significant) };
        });
    },
    forest() {
      const [a, b] = [index(state.runtime), index(state.reference)];
      return groupsHere()
        .map((g) => relation(g, state.measure, a, b, { benchmark: g.b, runtime: state.runtime }))
        .filter(Boolean)
        .sort((x, y) => x.ratio - y.ratio);
    },
    absolute: () => values(measures.get(state.measure)),
    utilisation: () => values(measures.get("utilisation")),
    "memory-time"() {
      const b = index(state.reference);
      return groupsHere().flatMap((g) => g.c.map((cell) => {
        const time = pairsOf(g, "wall").get(`${cell.r} ${b}`);
        const memory = pairsOf(g, "memory").get(`${cell.r} ${b}`);
        return time && memory && { benchmark: g.b, runtime: name(cell), time: time.ratio, memory: memory.ratio, n: time.n };
      })).filter(Boolean);
    },
    cores() {
      return groupsHere().flatMap((g) => g.c.map((cell) => {
        const busy = cell.e?.utilisation;
        return busy && { benchmark: g.b, order: data.groups.indexOf(g), runtime: name(cell), busy: busy[0], idle: Math.max(0, 1 - busy[0]), whole: 1,
                         wait: cell.q ?? null, n: busy[1] };
      })).filter(Boolean);
    },
    levels(benchmark) {
      return groupOf(benchmark).c.map((cell) => {
        const steady = estimate(cell, measures.get("wall"));
        const cold = estimate(cell, measures.get("cold"));
        return steady && { runtime: name(cell), ...steady, cold: cold?.value ?? null, coldText: cold?.text ?? "unavailable" };
      }).filter(Boolean);
    },
    strip(benchmark) {
      const measure = measures.get(state.measure);
      return groupOf(benchmark).c.flatMap((cell) => {
        const reference = cell.e?.[measure.id]?.[0] * measure.factor;
        const column = cell.i?.[measure.id] ?? [];
        const marked = new Map(cell.i?.x ?? []);
        const [sequence, block] = [sums(cell.i?.s), sums(cell.i?.b)];
        return column.flatMap((q, i) => {
          if (q == null) return [];
          const value = reference * point(q);
          return [{ runtime: name(cell), sequence: sequence[i], block: block[i], value, text: inUnit(value, measure),
                    contaminated: marked.get(i) ?? "" }];
        });
      });
    },
    warmup(benchmark) {
      return groupOf(benchmark).c.flatMap((cell) => (cell.u ?? []).flatMap(([position, steady, raw, stride, series]) => {
        let marked = false;
        return series.flatMap((q, j) => {
          if (q == null) return [];
          const iteration = j < raw ? j : raw + (j - raw) * stride;
          const first = !marked && iteration >= steady;
          marked ||= first;
          return [{ runtime: name(cell), order: cell.r, invocation: position, iteration, value: cell.e.wall[0] * 1e-9 * point(q),
                    steady: first ? "yes" : "" }];
        });
      }));
    },
    matrix(benchmark) {
      const group = groupOf(benchmark);
      const shown = group.c.filter((c) => !c.w);
      return shown.flatMap((a) => shown.map((b) => {
        const row = { a: name(a), b: name(b) };
        if (a === b) return { ...row, ratio: 1, sign: "", label: "", text: "itself" };
        return relation(group, state.measure, a.r, b.r, row) ?? { ...row, label: "no pair", text: "no pair" };
      }));
    },
    scaling(benchmark) {
      const preset = groupOf(benchmark).z.split("/")[0];
      return data.groups.filter((g) => g.b === benchmark && g.z.split("/")[0] === preset).flatMap((g) => g.c.map((cell) => {
        const e = estimate(cell, measures.get("wall"));
        return e && { runtime: name(cell), cores: g.n, ...e };
      })).filter(Boolean);
    },
    speedup(benchmark) {
      const preset = groupOf(benchmark).z.split("/")[0];
      const here = data.speedups.filter(([b, size]) => b === benchmark && size === preset);
      return here.flatMap(([, , cores, ideal, runtimes, values, lows, highs, n]) => runtimes.map((r, i) => {
        const speedup = ideal * stepped(values[i]);
        const [low, high] = [end(speedup, lows[i]), end(speedup, highs[i])];
        return { runtime: data.runtimes[r], cores, ideal, speedup, n: n[i], low, high, efficiency: speedup / ideal,
                 text: significant(speedup) + between(low, high, significant) };
      }));
    },
    growth(benchmark) {
      return data.growth.filter(([b]) => b === benchmark)
        .map(([, r, curve, order, x, value]) => ({ runtime: data.runtimes[r], curve, order, x, value }));
    },
    curve(benchmark) {
      const kind = (g) => g.z.split(/[-/]/)[0];
      const here = groupOf(benchmark);
      return data.groups.filter((g) => g.b === benchmark && g.n === here.n && kind(g) === kind(here)).flatMap((g) => g.c.flatMap((cell) =>
        (cell.m ?? []).map(([curve, order, x, value]) => ({ runtime: name(cell), curve, order, x, value }))));
    },
    fairness(benchmark) {
      const cells = groupOf(benchmark).c.filter((c) => c.f);
      const several = new Set(cells.flatMap((c) => c.f.map((f) => f[0]))).size > 1;
      return cells.flatMap((cell) => cell.f.map(([counter, [min, q1, median, q3, max], jain, n, mean, sd]) => ({
        runtime: name(cell), counter, label: several ? `${name(cell)}, ${counter}` : name(cell), min, q1, median, q3, max, jain, mean, sd, n,
      })));
    },
    sensors() {
      return data.sensors.names.flatMap((sensor, k) => data.sensors.rows
        .filter((r) => r[k + 1] != null)
        .map((r) => ({ sensor, order: k, sequence: r[0], share: r[k + 1], contaminated: r[4] })));
    },
    canary() {
      return data.groups.flatMap((g) => g.k.map(([sequence, ns, contaminated]) =>
        ({ sequence, value: ns * 1e-9, text: duration(ns * 1e-9), contaminated })));
    },
  };

  function values(measure) {
    return groupsHere().flatMap((g) => g.c.map((cell) => {
      const e = estimate(cell, measure);
      return e && { benchmark: g.b, runtime: name(cell), ...e };
    })).filter(Boolean);
  }

  function sums(deltas = []) {
    let at = 0;
    return deltas.map((d) => (at += d));
  }

  // --- drawing --------------------------------------------------------------------------------------------------

  // A benchmark's figures exist only with script; their places are made here.
  for (const place of $$("div.figures")) {
    place.append(...place.dataset.figures.split(" ").map((id) => skeleton(id, place.dataset.benchmark)));
  }

  function skeleton(id, benchmark) {
    const make = (tag, className, ...children) => {
      const element = Object.assign(document.createElement(tag), { className });
      element.append(...children);
      return element;
    };
    const figure = make("figure", "fig",
      make("figcaption", "", make("h4", "title"), make("p", "caption", `${data.figures[id].caption} `, make("span", "counts"))),
      make("div", "plot"),
      make("details", "table", make("summary", "", "Table and downloads"), make("div", "scroll"), make("p", "downloads")));
    $(".scroll", figure).tabIndex = 0;
    Object.assign(figure.dataset, { figure: id, benchmark });
    return figure;
  }

  const figures = $$("figure.fig").map((element) => ({
    element, id: element.dataset.figure, benchmark: element.dataset.benchmark, drawn: null, view: null,
  }));
  const logger = {
    level: () => vega.Warn,
    error(...message) { console.error(...message); return this; },
    // Two remarks are no faults: rows have a fixed height here by intent, and a layer may be empty.
    warn(...message) { if (!/^Dropping "fit-|^Infinite extent/.test(message[0])) console.warn(...message); return this; },
    info() { return this; },
    debug() { return this; },
  };
  const refuse = { load: () => Promise.reject(new Error("the report loads nothing")), sanitize: () => Promise.reject(new Error("no links")) };

  const colour = (variable) => getComputedStyle(document.documentElement).getPropertyValue(variable).trim();

  function theme() {
    const [ink, faint, line] = [colour("--ink"), colour("--faint"), colour("--line")];
    const font = getComputedStyle(document.body).fontFamily;
    const label = { labelColor: faint, titleColor: faint, labelFont: font, titleFont: font, labelFontSize: 11, titleFontSize: 11, titleFontWeight: "normal" };
    return {
      background: null, font, aria: false, view: { stroke: null },
      axis: { ...label, domainColor: line, tickColor: line, gridColor: line, gridOpacity: 0.6, labelPadding: 6, labelSeparation: 10, domain: false, ticks: false },
      legend: { ...label, labelFontSize: 12, symbolSize: 70, rowPadding: 4, columnPadding: 14 },
      header: { labelColor: ink, labelFont: font, labelFontSize: 12, labelFontWeight: 600, titleColor: faint },
      text: { font, color: ink }, rule: { color: ink }, tick: { color: ink },
      range: { diverging: [colour("--low"), colour("--low-half"), colour("--middle"), colour("--high-half"), colour("--high")] },
    };
  }

  /** The specification with its rows, as wide as the page allows. */
  function specOf(figure, values) {
    const measure = measures.get(state.measure);
    const spec = structuredClone(data.figures[figure.id].spec);
    spec.data = { name: "rows", values };
    const plot = $(".plot", figure.element);
    const grid = figure.id === "heat" || figure.id === "matrix";
    const heads = grid ? [...new Set(values.map((r) => r.runtime ?? r.b))] : [];
    const width = Math.max(280, plot.clientWidth || 760, grid ? 120 + 58 * heads.length : 0);
    const wide = width > plot.clientWidth;
    plot.classList.toggle("wide", wide);
    if (wide) plot.tabIndex = 0;
    else plot.removeAttribute("tabindex");
    // Headings that are wider than their columns stand aslant, or they would run into each other.
    const longest = Math.max(0, ...heads.map((head) => head.length));
    if (longest * 6.5 > (width - 120) / heads.length) Object.assign(spec.encoding.x.axis, { labelAngle: -40, labelLimit: 140 });
    if (spec.width === "container") Object.assign(spec, { width, autosize: { type: "fit-x", contains: "padding" } });
    if (spec.columns) {
      const beside = spec.resolve.scale ? 66 : 26; // what stands between two panels: an axis of its own, or only a gap
      const room = width - (spec.resolve.scale ? 0 : 110);
      const panels = new Set(values.map((r) => r[spec.facet.field])).size;
      const lines = Math.ceil(panels / Math.max(1, Math.floor(room / (spec.spec.width + beside))));
      spec.columns = Math.ceil(panels / lines); // no column stays empty, and the last line is as full as the others allow
      spec.spec.width = Math.min(2 * spec.spec.width, Math.floor(room / spec.columns - beside));
    }
    if (spec.facet?.row) spec.spec.width = width - 60;
    legends(spec, width - 110); // what is not theirs is the labels of an axis, and its title
    const shown = { utilisation: "%", absolute: measure.unit, strip: measure.unit }[figure.id] ?? "s";
    const parameters = {
      ink: colour("--ink"), unit: shown, dense: figure.id === "warmup" || short(values), ticks: [...new Set(values.map((r) => r.cores))],
    };
    for (const param of spec.params) param.value = parameters[param.name];
    return spec;
  }

  /** Breaks the legends of runtimes into as few lines as go into this width; what stood beyond it would be cut off. */
  function legends(spec, room) {
    const sizes = data.runtimes.map((r) => 7.5 * r.length + 30);
    const needed = (columns) => {
      const column = (i) => Math.max(0, ...sizes.filter((_, at) => at % columns === i));
      return Array.from({ length: columns }, (_, i) => column(i)).reduce((a, b) => a + b);
    };
    let columns = Math.min(8, sizes.length);
    while (columns > 1 && needed(columns) > room) columns -= 1;
    const visit = (part) => {
      if (part === null || typeof part !== "object" || part === spec.data) return;
      if (part.legend?.columns) part.legend.columns = columns;
      Object.values(part).forEach(visit);
    };
    visit(spec);
  }

  /** Whether a logarithmic axis over these rows spans less than a decade. */
  function short(values) {
    const ends = values.flatMap((r) => [r.value, r.low, r.high, r.cold, r.ratio, r.least, r.most, r.time, r.memory]).filter((x) => x > 0);
    return Math.max(...ends.slice(0, 50000)) / Math.min(...ends.slice(0, 50000)) < 9;
  }

  const key = (figure) => JSON.stringify([state.reference, state.measure, state.size, state.runtime, document.documentElement.dataset.theme, figure.id]);

  function draw(figure) {
    if (figure.drawn === key(figure)) return;
    figure.drawn = key(figure);
    figure.view?.finalize();
    figure.view = null;
    const plot = $(".plot", figure.element);
    const values = rows[figure.id](figure.benchmark);
    figure.rows = figure.element.rows = values;
    caption(figure);
    plot.replaceChildren();
    if ($("details.table", figure.element).open) table(figure);
    if (values.length === 0) {
      plot.append(paragraph(nothing(figure.id)));
      return;
    }
    try {
      const spec = specOf(figure, values);
      const compiled = vegaLite.compile(spec, { config: theme(), logger }).spec;
      figure.view = new vega.View(vega.parse(compiled, null, { ast: true }), {
        expr: vega.expressionInterpreter, renderer: "svg", loader: refuse, logger, tooltip,
      });
      figure.view.initialize(plot).hover().run();
      const svg = $("svg", plot);
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", `${$(".title", figure.element).textContent}. The table below has every number.`);
    } catch (error) {
      plot.replaceChildren(paragraph(`This figure could not be drawn (${error.message}); its table is below.`));
      console.error(figure.id, error);
    }
  }

  const paragraph = (text) => Object.assign(document.createElement("p"), { className: "note", textContent: text });
  function nothing(id) {
    if (data.runtimes.length === 1 && ["geomean", "forest"].includes(id)) return `Only ${data.runtimes[0]} was measured; there is nothing to compare it with.`;
    if (id !== "geomean") return "No verified numbers for this selection.";
    const others = data.summaries.find((s) => s.m === state.measure && s.z === state.size);
    return others ? `Geometric means were computed relative to ${others.b} only.` : "No benchmark in common with the baseline in this measure.";
  }

  /** Figures out of sight are not drawn yet, but who goes from heading to heading comes to their titles. */
  const entitleAll = () => figures.filter((f) => f.drawn === null).forEach(entitle);

  function entitle(figure) {
    const measure = measures.get(state.measure);
    const size = data.sizes.find((s) => s.id === (figure.benchmark ? groupOf(figure.benchmark)?.z : state.size))?.title ?? "";
    const text = data.figures[figure.id].title
      .replace("{measure}", () => measure.title).replace("{meaning}", () => measure.meaning)
      .replace("{direction}", "lower is better").replace("{axis}", "logarithmic axis")
      .replace("{baseline}", () => state.reference).replace("{runtime}", () => state.runtime ?? "").replace("{size}", () => size);
    $(".title", figure.element).textContent = figure.benchmark && !["scaling", "speedup", "growth"].includes(figure.id) ? `${text}, ${size}` : text;
  }

  function caption(figure) {
    entitle(figure);
    const counts = figure.rows.map((r) => r.n).filter(Number.isInteger);
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    const n = counts.length === 0 || figure.id === "geomean" ? "" : `n\u00a0=\u00a0${least === most ? least : `${least} to ${most}`}.`;
    $(".counts", figure.element).textContent = [n, figure.id === "warmup" ? data.thinning : ""].join(" ").trim();
  }

  // --- tables and downloads -------------------------------------------------------------------------------------

  function table(figure) {
    const LIMIT = 2000;
    const columns = data.figures[figure.id].columns;
    const shown = figure.rows.slice(0, LIMIT);
    const make = (tag, text, number) => {
      const cell = Object.assign(document.createElement(tag), { textContent: text });
      if (tag === "th") cell.scope = "col";
      if (number) cell.className = "num";
      return cell;
    };
    const numeric = (format) => format !== "text";
    const result = document.createElement("table");
    result.createTHead().insertRow().append(...columns.map(([, title, format]) => make("th", title, numeric(format))));
    const body = result.createTBody();
    for (const row of shown) {
      const line = body.insertRow();
      line.dataset.sort = columns.map(([field]) => (typeof row[field] === "number" ? row[field] : "")).join(",");
      line.append(...columns.map(([field, , format]) => {
        const value = row[field] ?? (field === "ratio" ? row.label ?? "" : "");
        return make("td", value === "" || typeof value === "string" ? value : show[format](value), numeric(format));
      }));
    }
    const place = $("details.table .scroll", figure.element);
    const before = $("th[aria-sort]", place);
    place.replaceChildren(result);
    // An excerpt in order would look as if it had the first and the last of all.
    if (shown.length < figure.rows.length) place.append(paragraph(`The first ${LIMIT} of ${figure.rows.length} rows; the CSV has all.`));
    else sortable(result);
    sortAs(result, before);
    downloads(figure);
  }

  /** Sorts a table that is drawn anew as the one before it was. */
  function sortAs(table, before) {
    const same = before && $$("th:has(.sort)", table).find((th) => th.textContent === before.textContent);
    if (same) arrange(table, same, before.getAttribute("aria-sort"));
  }

  function downloads(figure) {
    const place = $(".downloads", figure.element);
    if (place.childElementCount > 0) return;
    const button = (label, action) => {
      const b = Object.assign(document.createElement("button"), { type: "button", textContent: label });
      b.addEventListener("click", action);
      place.append(b, " ");
    };
    const file = (extension) => [data.session, figure.benchmark, figure.id].filter(Boolean).join("-").replace(/[^\w.-]+/g, "_") + extension;
    button("SVG", async () => save(file(".svg"), "image/svg+xml", await figure.view.toSVG()));
    button("PNG", async () => link(file(".png"), await figure.view.toImageURL("png", 2)));
    button("Vega-Lite", () => save(file(".vl.json"), "application/json", JSON.stringify(specOf(figure, figure.rows), null, 1)));
    button("CSV", () => save(file(".csv"), "text/csv", csv(figure)));
  }

  function csv(figure) {
    const columns = data.figures[figure.id].columns;
    const inert = (x) => (typeof x === "string" && /^[=+\-@\t\r]/.test(x) ? `'${x}` : x ?? "");
    const quote = (x) => (/[",\n\r]/.test(x) ? `"${String(x).replaceAll('"', '""')}"` : String(x));
    const lines = figure.rows.map((row) => columns.map(([field]) => quote(inert(row[field]))).join(","));
    return [columns.map(([field]) => field).join(","), ...lines].join("\n") + "\n";
  }

  function save(filename, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    link(filename, url);
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  const link = (download, href) => Object.assign(document.createElement("a"), { download, href }).click();

  // --- tooltip ----------------------------------------------------------------------------------------------------

  const tip = $("#tip");
  function tooltip(_handler, event, _item, value) {
    if (value == null || typeof value !== "object") {
      tip.hidden = true;
      return;
    }
    const list = document.createElement("dl");
    for (const [term, text] of Object.entries(value)) {
      if (text == null || text === "" || text === "null" || text === "undefined") continue;
      list.append(Object.assign(document.createElement("dt"), { textContent: term }),
                  Object.assign(document.createElement("dd"), { textContent: String(text) }));
    }
    tip.replaceChildren(list);
    tip.hidden = false;
    const { innerWidth, innerHeight } = window;
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
  }

  // --- selection --------------------------------------------------------------------------------------------------

  const selects = { baseline: $("#baseline"), measure: $("#measure"), size: $("#size"), runtime: $("select.runtime") };

  function readAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const known = {
      baseline: data.runtimes, measure: data.measures.filter((m) => m.directed).map((m) => m.id), size: data.sizes.map((s) => s.id), runtime: data.runtimes,
    };
    for (const [field, all] of Object.entries(known)) if (all.includes(wanted.get(field))) state[field] = wanted.get(field);
    settle();
    const target = !location.hash.includes("=") && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.matches?.("details")) target.open = true;
  }

  /** What the figures are relative to: the baseline chosen, or where that has no numbers what was judged in its place; and a runtime beside it. */
  function settle() {
    state.reference = hasNumbers(state.baseline) ? state.baseline : judged() ?? state.baseline;
    if (state.runtime != null && state.runtime !== state.reference) return;
    const others = data.runtimes.filter((r) => r !== state.reference);
    state.runtime = others.find(hasNumbers) ?? others[0] ?? state.reference;
  }

  function writeAddress() {
    const { baseline, measure, size, runtime } = state;
    history.replaceState(null, "", `#${new URLSearchParams({ baseline, measure, size, runtime })}`);
  }

  function showSelection() {
    const options = data.runtimes.filter((r) => r !== state.reference)
      .map((r) => Object.assign(document.createElement("option"), { value: r, textContent: r }));
    selects.runtime?.replaceChildren(...options);
    for (const [field, select] of Object.entries(selects)) if (select) select.value = state[field];
    if (!selects.baseline) return;
    const size = data.sizes.find((s) => s.id === state.size)?.title;
    $("#instead").textContent = state.reference === state.baseline ? ""
      : `${state.baseline} has no verified numbers at ${size}; ratios are relative to ${state.reference} instead.`;
  }

  const visible = new Set();
  const redraw = () => visible.forEach(draw);

  function changed() {
    settle();
    showSelection();
    entitleAll();
    redraw();
    for (const f of figures) if (!visible.has(f) && $("details.table", f.element).open) draw(f);
  }

  for (const [field, select] of Object.entries(selects)) {
    select?.addEventListener("change", () => {
      state[field] = select.value;
      changed();
      writeAddress();
    });
  }
  $("#selection").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", () => {
    readAddress();
    changed();
  });

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  function setTheme(value) {
    document.documentElement.dataset.theme = value;
    redraw();
  }
  $("#theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));

  for (const [id, open] of [["#open-all", true], ["#close-all", false]]) {
    $(id)?.addEventListener("click", () => $$("details.bench").forEach((d) => (d.open = open)));
  }
  for (const figure of figures) {
    $("details.table", figure.element).addEventListener("toggle", (event) => {
      if (!event.target.open) return;
      draw(figure);
      table(figure);
    });
  }

  // --- start ------------------------------------------------------------------------------------------------------

  document.documentElement.classList.add("scripted");
  document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
  readAddress();
  showSelection();
  entitleAll();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const figure = figures.find((f) => f.element === target);
      if (isIntersecting) {
        visible.add(figure);
        draw(figure);
      } else {
        visible.delete(figure);
      }
    }
  }, { rootMargin: "400px" });
  figures.forEach((f) => observer.observe(f.element));

  let resizing;
  let lastWidth = innerWidth;
  window.addEventListener("resize", () => {
    if (innerWidth === lastWidth) return;
    lastWidth = innerWidth;
    clearTimeout(resizing);
    resizing = setTimeout(() => {
      figures.forEach((f) => (f.drawn = null));
      redraw();
    }, 150);
  });

  // Paper shows everything, on white.
  let restore = null;
  window.addEventListener("beforeprint", () => {
    const closed = $$("details.bench:not([open]), details.runtime:not([open])");
    closed.forEach((d) => (d.open = true));
    const before = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    figures.forEach(draw);
    restore = () => {
      closed.forEach((d) => (d.open = false));
      setTheme(before);
    };
  });
  window.addEventListener("afterprint", () => restore?.());

  document.documentElement.dataset.ready = "yes";
})();
