// Where in a page a place of a step's text is: [line, column], the line from 1, the column in code points from 0.
// `rendering/fold.py` writes data-from, data-to and data-hides in these terms.
window.viewer = (() => {
  "use strict";
  // What is in the text but not of it.
  const ADDED = ".flag, .vh, .fold, .ln, .whole-output, .written";

  const parse = (place) => place.split(":").map(Number);
  const isBefore = (one, other) => one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]);
  const later = (one, other) => (isBefore(one, other) ? other : one);
  const earlier = (one, other) => (isBefore(one, other) ? one : other);

  // The text of an element, and at which offset of it each of its text nodes begins.
  const read = (element) => {
    const nodes = [];
    const starts = [];
    let text = "";
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
      if (node.nodeType === Node.TEXT_NODE) return NodeFilter.FILTER_ACCEPT;
      return node.matches(ADDED) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
    });
    while (walker.nextNode()) {
      nodes.push(walker.currentNode);
      starts.push(text.length);
      text += walker.currentNode.data;
    }
    return { element, nodes, starts, text };
  };

  const begin = (pre) => parse(pre.dataset.from ?? "1:0");
  const lineStart = (text, from, line) => {
    let offset = 0;
    for (let at = from; at < line; at += 1) {
      const newline = text.indexOf("\n", offset);
      if (newline < 0) return -1;
      offset = newline + 1;
    }
    return offset;
  };
  // The offset of a place in what `read` gave of a pre; -1 if it is not in it.
  const offsetOf = ({ element, text }, [line, column]) => {
    const from = begin(element);
    let offset = line < from[0] ? -1 : lineStart(text, from[0], line);
    if (offset < 0) return -1;
    for (let left = column - (line === from[0] ? from[1] : 0); left > 0; left -= 1) {
      offset += text.codePointAt(offset) > 0xffff ? 2 : 1;
    }
    return offset;
  };

  // A point of the document: of the two at the border of nodes, the one in the node that `atEnd` says.
  const pointAt = ({ nodes, starts }, offset, atEnd = false) => {
    let index = starts.length - 1;
    while (index > 0 && (atEnd ? starts[index] >= offset : starts[index] > offset)) index -= 1;
    return [nodes[index], Math.min(offset - starts[index], nodes[index].length)];
  };

  // Wrap a range of a text in marks, one for each of its nodes; returns the first.
  const wrap = ({ nodes, starts }, from, to) => {
    let first = null;
    nodes.forEach((node, index) => {
      const low = Math.max(from - starts[index], 0);
      const high = Math.min(to - starts[index], node.length);
      if (low >= high) return;
      const rest = low > 0 ? node.splitText(low) : node;
      if (high - low < rest.length) rest.splitText(high - low);
      const mark = document.createElement("mark");
      mark.className = "found";
      rest.replaceWith(mark);
      mark.append(rest);
      first ??= mark;
    });
    return first;
  };
  const unwrap = (mark) => {
    const parent = mark.parentNode;
    mark.replaceWith(...mark.childNodes);
    parent.normalize();
  };

  const partOf = (step, part) => document.querySelector(`#step-${step} > .${part}`);
  const lineId = (step, part, line) => (part === "output" ? `step-${step}-L${line}` : `step-${step}-${part}-L${line}`);
  const parseLineId = (id) => {
    const found = /^step-(\d+)(?:-(thought|action))?-L(\d+)$/.exec(id);
    return found && { step: found[1], part: found[2] ?? "output", line: Number(found[3]) };
  };
  // What `read` gives of the pre that shows a line, and the offset of the line in it.
  const findLine = (place, line) => {
    for (const pre of place.querySelectorAll(":scope > pre, :scope > .opened pre")) {
      const text = read(pre);
      const offset = offsetOf(text, [line, 0]);
      const isIn = offset >= 0 && (offset < text.text.length || text.text === "");
      if (isIn && (line > begin(pre)[0] || begin(pre)[1] === 0)) return { text, offset };
    }
    return null;
  };

  return {
    begin,
    earlier,
    findLine,
    isBefore,
    later,
    lineId,
    offsetOf,
    parse,
    parseLineId,
    partOf,
    pointAt,
    read,
    unwrap,
    wrap,
  };
})();
