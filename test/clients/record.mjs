// What was said between a client and the server, as far as it is judged afterwards.

const CLAIM = 'io.modelcontextprotocol/protocolVersion';

export class Record {
  asked;
  agreed;
  claimed = [];
  heard = [];
  strays = [];

  /** Notes what a client said. */
  hear(text) {
    const messages = [JSON.parse(text)].flat();
    for (const { method, params } of messages) {
      if (method !== undefined) this.heard.push(method);
      if (method === 'initialize') this.asked = params.protocolVersion;
      const claim = params?._meta?.[CLAIM];
      if (claim !== undefined && !this.claimed.includes(claim)) this.claimed.push(claim);
    }
  }

  /** Notes what the server said; what is no message is a stray. */
  check(text) {
    try {
      for (const message of [JSON.parse(text)].flat()) {
        if (message.jsonrpc !== '2.0' || !(message.method ?? message.result ?? message.error)) this.strays.push(text);
        this.agreed ??= message.result?.protocolVersion;
      }
    } catch {
      this.strays.push(text);
    }
  }
}

/** Calls back for each line of what comes in pieces. */
export function eachLine(take) {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) take(line);
  };
}
