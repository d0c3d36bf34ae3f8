/** A request in bytes whose end two readers may see in different places, with another request where one sees its body. */
export interface Shape {
  readonly name: string;
  readonly bytes: string;
}

const START = 'POST /nothing HTTP/1.1\r\nHost: localhost\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

/** Every shape, around a request that must never be served. */
export function shapesAround(hidden: string): readonly Shape[] {
  const { length } = hidden;
  const size = length.toString(16);
  const whole = `${size}\r\n${hidden}\r\n0\r\n\r\n`;
  const tail = `0\r\n\r\n${hidden}`;
  const post = (head: string, body: string): string => `${START}${head}\r\n${body}`;
  const both = `Content-Length: ${tail.length}\r\n`;
  const rows: readonly (readonly [string, string])[] = [
    ['a length and chunks, the length first', post(`${both}${CHUNKED}`, tail)],
    ['a length and chunks, the chunks first', post(`${CHUNKED}${both}`, tail)],
    ['a short length and chunks', post(`Content-Length: 4\r\n${CHUNKED}`, whole)],
    ['a coding nobody knows', post(`${both}Transfer-Encoding: xchunked\r\n`, tail)],
    ['chunks and then another coding', post(`${both}Transfer-Encoding: chunked, identity\r\n`, tail)],
    ['another coding and then chunks', post(`${both}Transfer-Encoding: identity, chunked\r\n`, tail)],
    ['two codings in two fields', post(`${both}${CHUNKED}Transfer-Encoding: x\r\n`, tail)],
    ['a space before the colon of the coding', post(`${both}Transfer-Encoding : chunked\r\n`, tail)],
    ['a tab before the coding', post(`${both}Transfer-Encoding:\tchunked\r\n`, tail)],
    ['a vertical tab before the coding', post(`${both}Transfer-Encoding: \u000bchunked\r\n`, tail)],
    ['a coding in quotes', post(`${both}Transfer-Encoding: "chunked"\r\n`, tail)],
    ['a coding after a bare line feed', post(`${both}X: x\nTransfer-Encoding: chunked\r\n`, tail)],
    ['a coding after a bare carriage return', post(`${both}X: x\rTransfer-Encoding: chunked\r\n`, tail)],
    ['a coding on a folded line', post(`${both}Transfer-Encoding:\r\n chunked\r\n`, tail)],
    ['a coding behind a NUL', post(`${both}Transfer-Encoding: \u0000chunked\r\n`, tail)],
    ['a coding with an underscore in its name', post(`${both}Transfer_Encoding: chunked\r\n`, tail)],
    ['two lengths', post(`Content-Length: ${length}\r\nContent-Length: 0\r\n`, hidden)],
    ['two lengths in one field', post(`Content-Length: ${length}, 0\r\n`, hidden)],
    ['a length with a sign', post(`Content-Length: +${length}\r\n`, hidden)],
    ['a negative length', post('Content-Length: -1\r\n', hidden)],
    ['a length in another base', post(`Content-Length: 0x${size}\r\n`, hidden)],
    ['a length with a space inside', post(`Content-Length: 0 ${length}\r\n`, hidden)],
    ['a space before the colon of the length', post(`Content-Length : ${length}\r\n`, hidden)],
    ['a length on a folded line', post(`Content-Length:\r\n ${length}\r\n`, hidden)],
    ['a length that is no number', post(`Content-Length: ${length}abc\r\n`, hidden)],
    ['a length of too many digits', post(`Content-Length: 1${'0'.repeat(30)}\r\n`, hidden)],
    ['a chunk size with a prefix', post(CHUNKED, `0x${size}\r\n${hidden}\r\n0\r\n\r\n`)],
    ['a chunk size with an underscore', post(CHUNKED, `0_0\r\n\r\n${hidden}`)],
    ['a chunk size of too many digits', post(CHUNKED, `1${'0'.repeat(17)}\r\n${hidden}\r\n0\r\n\r\n`)],
    ['a negative chunk size', post(CHUNKED, `-1\r\n\r\n${hidden}`)],
    ['a chunk that ends with a bare line feed', post(CHUNKED, `1\r\nx\n0\r\n\r\n${hidden}`.replace('0\r\n\r\n', '\n'))],
    ['a chunk longer than it says', post(CHUNKED, `1\r\nxx\r\n0\r\n\r\n${hidden}`)],
    ['a line feed in the extension of a chunk', post(CHUNKED, `1;a\nb\r\nx\r\n${size}\r\n${hidden}\r\n0\r\n\r\n`)],
    ['chunks in HTTP/1.0', post(`${CHUNKED}${both}`, tail).replace('HTTP/1.1', 'HTTP/1.0')],
    ['GET with a body', post(`Content-Length: ${length}\r\n`, hidden).replace('POST', 'GET')],
    ['two hosts', post(`Host: evil.example\r\nContent-Length: ${length}\r\n`, hidden)],
    ['no host', post(`Content-Length: ${length}\r\n`, hidden).replace('Host: localhost\r\n', '')],
    [
      'an address of another host',
      post(`Content-Length: ${length}\r\n`, hidden).replace('/nothing', 'http://evil.example/'),
    ],
    ['a header without a name', post(`: x\r\nContent-Length: ${length}\r\n`, hidden)],
    ['an upgrade with a body', post(`Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: ${length}\r\n`, hidden)],
  ];
  return rows.map(([name, bytes]) => ({ name, bytes }));
}
