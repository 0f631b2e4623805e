import assert from 'node:assert/strict';

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const TOKEN = /<\?xml [^?]*\?>|<(\/?)([A-Za-z][\w:]*)((?: [A-Za-z][\w:]*="[^"<]*")*)(\/?)>|([^<]+)/y;

/** Reads a document without comments, DTD or CDATA, as the server writes it. Fails if it is not well-formed. */
export function readXml(document: string): XmlElement {
  assert.doesNotMatch(document, /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u);
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < document.length; ) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(document);
    assert.ok(match, `not well-formed at ${JSON.stringify(document.slice(at, at + 60))}`);
    const [, closing, name, attributes = '', empty, text] = match;
    const last = open.at(-1) ?? root;
    if (text !== undefined) last.text += unescaped(text);
    if (name === undefined) continue;
    if (closing === '/') {
      assert.equal(open.pop()?.name, name);
      continue;
    }
    const pairs = [...attributes.matchAll(/ ([\w:]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
      key,
      unescaped(value),
    ]);
    const element = { name, attributes: Object.fromEntries(pairs), children: [], text: '' };
    last.children.push(element);
    if (empty !== '/') open.push(element);
  }
  assert.equal(open.length, 1, `not closed: ${open.at(-1)?.name}`);
  assert.equal(root.children.length, 1);
  return root.children[0] ?? root;
}

function unescaped(text: string): string {
  return text.replaceAll(/&([^;]*);?/g, (entity, name: string) => {
    const character = ENTITIES[name];
    assert.ok(character !== undefined && entity.endsWith(';'), `no such entity: ${entity}`);
    return character;
  });
}

/** Returns the children of an element with a name. */
export function childrenOf({ children }: XmlElement, name: string): readonly XmlElement[] {
  return children.filter((child) => child.name === name);
}

export function childOf(element: XmlElement, name: string): XmlElement {
  const [first] = childrenOf(element, name);
  assert.ok(first, `${element.name} has no ${name}`);
  return first;
}
