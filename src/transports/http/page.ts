import { createHash } from 'node:crypto';
import type { Implementation } from '../../model/items.ts';
import type { Principal } from '../../model/peer.ts';
import { type DiscoveryPolicy, type Offered, sight } from './discovery.ts';
import { serveDocument } from './document.ts';
import type { Handler, Headers, HttpExchange } from './exchange.ts';
import { type Html, html, trusted } from './html.ts';
import { endpointUrl } from './own-url.ts';
import { STYLE } from './page-style.ts';
import { clientName, type Setup, setups } from './setups.ts';

/** A revision, as far as a reader needs to know it. */
export interface SpokenRevision {
  readonly id: string;
  readonly opens: 'handshake' | 'every-request';
}

export interface PageOptions {
  readonly server: Implementation;
  readonly instructions?: string | undefined;
  /** Every revision spoken, newest first. */
  readonly revisions: readonly SpokenRevision[];
  /** The path of the MCP endpoint. */
  readonly endpoint: string;
  /** Where the server is reached from outside, with the endpoint or without; otherwise what the request says. */
  readonly publicUrl?: string | undefined;
  /** The transports served, in words for a reader. */
  readonly transports: readonly string[];
  readonly policy?: DiscoveryPolicy;
  /** Requests need a token. */
  readonly secured?: boolean;
  offered(principal?: Principal): Offered;
}

/** Serves the page for people: what this server is, and how to connect to it. */
export function createPage(options: PageOptions): Handler {
  let headers: Headers | undefined;
  return serveDocument((exchange) => {
    headers ??= protectedBy(createHash('sha256').update(STYLE).digest('base64'));
    return { status: 200, body: render(options, exchange).text, headers };
  });
}

function protectedBy(styleHash: string): Headers {
  const policy = ["default-src 'none'", `style-src 'sha256-${styleHash}'`, 'img-src data:', "base-uri 'none'"];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [...policy, "form-action 'none'", "frame-ancestors 'none'"].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };
}

function render(options: PageOptions, exchange: HttpExchange): Html {
  const { server, policy = 'counts', revisions, secured = false } = options;
  const url = endpointUrl(options, exchange);
  const seen = sight(policy, exchange.principal);
  const newest = (opens: SpokenRevision['opens']) => revisions.find((revision) => revision.opens === opens)?.id;
  const ways = setups({
    name: clientName(server.name),
    url,
    newest: { handshake: newest('handshake'), everyRequest: newest('every-request') },
  });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${server.title ?? server.name} · MCP server</title>
<link rel="icon" href="data:,">
<style>${trusted(STYLE)}</style>
</head>
<body>
<main>
${introduce(server)}
<section aria-labelledby="endpoint">
<h2 id="endpoint">Endpoint</h2>
<pre class="url"><code>${url}</code></pre>
${secured ? html`<p class="where">It needs access: your client signs you in, or sends <code>Authorization: Bearer …</code> with a token of yours.</p>` : ''}
</section>
<section aria-labelledby="connect">
<h2 id="connect">Connect a client</h2>
<p class="where">A click or a tap selects all of a box.</p>
${ways.map(showSetup)}
</section>
${seen === 'nothing' ? '' : guide(options.instructions)}
<section aria-labelledby="facts">
<h2 id="facts">What it speaks and offers</h2>
<dl>
${facts(options, seen, exchange.principal)}
</dl>
</section>
</main>
<footer><p>This address is for programs that speak MCP, the Model Context Protocol; this page is for you.</p></footer>
</body>
</html>
`;
}

function introduce({ name, title, version, description }: Implementation): Html {
  return html`<header>
<h1>${title ?? name}</h1>
<p class="lead">An MCP server: <code>${name}</code>, version ${version}</p>
${description === undefined ? '' : html`<p class="said">${description}</p>`}
</header>`;
}

function guide(instructions: string | undefined): Html | string {
  if (instructions === undefined || instructions === '') return '';
  return html`<section aria-labelledby="guide">
<h2 id="guide">What it tells the model</h2>
<p class="said">${instructions}</p>
</section>`;
}

function showSetup({ client, where, text }: Setup, index: number): Html {
  return html`<details${trusted(index === 0 ? ' open' : '')}>
<summary><h3>${client}</h3></summary>
<div><p class="where">${where}</p>
<pre><code>${text}</code></pre></div>
</details>
`;
}

function facts(
  { revisions, transports, offered }: PageOptions,
  seen: ReturnType<typeof sight>,
  principal: Principal | undefined,
): readonly Html[] {
  const spoken = [
    html`<dt>Revisions</dt><dd>${revisions.map(({ id }) => id).join(', ')}</dd>`,
    html`<dt>Transports</dt><dd>${transports.join(', ')}</dd>`,
  ];
  if (seen === 'nothing') return spoken;
  const { tools, resources, prompts } = offered(principal);
  const named = Object.entries({ Tools: tools, Resources: resources, Prompts: prompts });
  return [...spoken, ...named.map(([kind, names]) => html`<dt>${kind}</dt><dd>${showItems(names, seen)}</dd>`)];
}

const SHOWN = 100;

function showItems(names: readonly string[], seen: 'names' | 'counts'): Html {
  if (seen === 'counts' || names.length === 0) return html`${names.length}`;
  const more = names.length > SHOWN ? html`<li>and ${names.length - SHOWN} more</li>` : '';
  return html`${names.length}<ul>${names.slice(0, SHOWN).map((name) => html`<li><code>${name}</code></li>`)}${more}</ul>`;
}
