/** Reads events of the format `text/event-stream` as the service writes them: lines end in `\n`, data is one line. */

export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

export class EventParser {
  #text = '';
  /** Milliseconds after which the stream may be opened again, as it says. */
  retry: number | undefined;

  /** The events that are complete with this part of the stream. */
  feed(part: string): readonly StreamEvent[] {
    const blocks = (this.#text + part).split('\n\n');
    this.#text = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const fields = new Map(block.split('\n').map(fieldOf));
      const [retry, event, data] = ['retry', 'event', 'data'].map((name) => fields.get(name));
      if (retry !== undefined) this.retry = Number(retry);
      return event === undefined || data === undefined ? [] : [{ event, data }];
    });
  }
}

/** A line without a name is a comment, which says that the stream is there. */
function fieldOf(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
}
