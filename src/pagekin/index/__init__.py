"""What is built once from a run so that looking things up is quick, however large the run is.

    folder      where it lies, and when it is built anew
    catalog     a DuckDB file: rows of pages, clusters, classes, quilts and sites, found and sorted
    words       which pages hold a word
    check_index pages like a new one, by LSH lookups in mapped files
    page_column the text of a page, or one of its sketches
    records     the record of a page, read again from its input

Everything here can be deleted at any time: it is made again from the run's tables.
"""
