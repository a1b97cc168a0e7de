// What tests ask of a page that a browser has drawn. One object, whose functions return what is wrong.
({
  /** The page itself scrolls sideways. */
  scrolls() {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [[scrollWidth, clientWidth]] : [];
  },

  /** Texts on axes that cover each other or leave the drawing. */
  overlaps() {
    const found = [];
    for (const drawing of document.querySelectorAll("svg.chart")) {
      const name = drawing.closest("figure")?.id;
      const texts = [...drawing.querySelectorAll("text.tick, text.axis-label, text.legend")];
      const boxes = texts.map((text) => text.getBoundingClientRect());
      const frame = drawing.getBoundingClientRect();
      boxes.forEach((a, i) => {
        if (a.left < frame.left - 3 || a.right > frame.right + 3) found.push([name, "outside", texts[i].textContent]);
        boxes.slice(0, i).forEach((b, j) => {
          const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          // A box is as high as the tallest letters of the font; these letters are not.
          if (wide > 1 && high > a.height * 0.3) found.push([name, texts[j].textContent, texts[i].textContent]);
        });
      });
    }
    return found;
  },

  /** Words that run over two lines. Addresses and code may. */
  brokenWords() {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const element = node.parentElement;
      if (!element.checkVisibility() || element.closest("svg, script, style, .copy, code, pre, #tip")) continue;
      for (const word of node.data.matchAll(/[A-Za-z]{2,}/g)) {
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const lines = [...range.getClientRects()].filter((box) => box.width > 0.5);
        if (new Set(lines.map((box) => Math.round(box.top))).size > 1) found.push(word[0]);
      }
    }
    return found;
  },

  /** Texts whose contrast with what is behind them is too small (WCAG 2, AA: 4.5). */
  faint(least = 4.5) {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const parsed = (colour) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
    const ratio = (a, b) => {
      const [low, high] = [light(a), light(b)].sort((p, q) => p - q);
      return (high + 0.05) / (low + 0.05);
    };
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = parsed(getComputedStyle(at).backgroundColor);
        if (colour[3] === 255) return colour;
      }
      return [255, 255, 255, 255];
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode.data.trim();
      const element = walker.currentNode.parentElement;
      if (!text || !element.checkVisibility() || element.closest("script, style, title")) continue;
      const style = getComputedStyle(element);
      const has = ratio(parsed(element.closest("svg") ? style.fill : style.color), behind(element));
      if (has < least) found.push([text.slice(0, 40), has.toFixed(2)]);
    }
    return found;
  },

  /** Things to press or scroll that say nothing to those who cannot see them. */
  unnamed() {
    const named = (element) => element.ariaLabel || element.textContent.trim() || element.title || element.labels?.length;
    return [...document.querySelectorAll("button, a, input, select, textarea, [tabindex], svg[role=img]")]
      .filter((element) => element.checkVisibility() && !named(element))
      .map((element) => element.outerHTML.slice(0, 80));
  },
})
