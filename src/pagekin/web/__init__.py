"""The review app and the JSON API: `pagekin serve RUN`.

context     what every request needs: the run, its indexes, the verdicts, the settings
security    the rules that hold for every request and every answer
listing     tables that sort, filter and page in the database
views       what screens show, computed from the run: no HTML here
screens     one function a screen: looks up, renders a template
judging     what changes verdicts: forms, undo, spreading
rendered    a crawled page in a frame that can do nothing
api         JSON: check, tables, verdicts
openapi     what the API says of itself
server      uvicorn, its limits, its workers
"""
