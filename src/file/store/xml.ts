/**
 * Reads the XML of answers of S3: elements and texts. Strict: no document types, no entities but those that XML has, and
 * whatever else is no such document is refused.
 */

export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** The text directly in it. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

/** A declaration, a tag with attributes that are passed over, or a text. */
const TOKEN =
  /<\?xml[^<>]*\?>|<(?<close>\/?)(?<name>[A-Za-z][\w.-]*)(?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(?<empty>\/?)>|(?<text>[^<]+)/y;
const DEPTH = 10;

/** The root element. @throws SyntaxError */
export function parseXml(source: string): XmlElement {
  const top: OpenElement = { name: '', children: [], text: '' };
  const open = [top];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < source.length;) {
    const token = TOKEN.exec(source)?.groups;
    const current = open.at(-1);
    if (!token || !current || open.length > DEPTH) throw malformed();
    const { close, name, empty, text } = token;
    if (text !== undefined) current.text += decoded(text);
    if (name === undefined) continue;
    if (close === '') {
      const element: OpenElement = { name, children: [], text: '' };
      current.children.push(element);
      if (empty === '') open.push(element);
    } else if (empty !== '' || open.pop()?.name !== name) throw malformed();
  }
  const [root, ...others] = top.children;
  if (open.length !== 1 || !root || others.length > 0 || top.text.trim() !== '') throw malformed();
  return root;
}

export function childrenOf({ children }: XmlElement, name: string): readonly XmlElement[] {
  return children.filter((child) => child.name === name);
}

/** The text of its only child of that name; undefined where it has none. @throws SyntaxError where it has several */
export function textOf(element: XmlElement, name: string): string | undefined {
  const [child, ...others] = childrenOf(element, name);
  if (others.length > 0) throw malformed();
  return child?.text;
}

const ENTITIES = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

function decoded(text: string): string {
  return text.replace(/&(?:([^;&]*);)?/g, (_whole, entity: string | undefined = '') => {
    const [, hex, decimal] = /^#(?:x([\da-fA-F]{1,6})|(\d{1,7}))$/.exec(entity) ?? [];
    const code = hex === undefined ? decimal && Number(decimal) : Number.parseInt(hex, 16);
    const sign = ENTITIES.get(entity) ?? (code && code <= 0x10ffff ? String.fromCodePoint(code) : undefined);
    if (sign === undefined) throw malformed();
    return sign;
  });
}

function malformed(): SyntaxError {
  return new SyntaxError('the answer is no XML of S3');
}
