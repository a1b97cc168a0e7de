"""How pagekin looks: what the report and the review app draw with.

    words      numbers and URLs as people read them
    markup     elements whose text is escaped
    table      `ShownTable` and `ShownColumn`: headers in words, numbers right, URLs cut in the middle
    scales     axes with ticks that read 1, 10, 100, 1k; ranges for a log axis; thinning
    chart      `Chart`: curves, points, columns
    drawings   bars, a barcode of passages, a gauge for a table's cell
    graph      pages and the links among them
    figure     `Figure`: a drawing, its finding, its data; SVG and PNG files
    assets     look.css, chart.css and look.js as text

Markup is `Html`, a string that templates which escape by themselves leave as it is. Nothing here needs a
style attribute or an inline script.
"""
