import { askIssuer, type IssuerLimits } from './ask-issuer.ts';
import { invalid, unavailable, type Verdict, type Verifier } from './auth.ts';
import { type Expected, judge } from './claims.ts';

export interface IntrospectionOptions extends Expected {
  readonly url: URL;
  /** Who this server is to the authorization server. */
  readonly client: { readonly id: string; readonly secret: string };
  readonly limits: IssuerLimits & { readonly issuerAsks: number };
}

/** Checks tokens by asking the authorization server that made them. */
// spec RFC 7662
export function createIntrospection(options: IntrospectionOptions): Verifier {
  const { url, client, limits } = options;
  const authorization = `Basic ${btoa(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`)}`;
  let open = 0;

  async function ask(token: string): Promise<Verdict> {
    const form = new URLSearchParams({ token, token_type_hint: 'access_token' }).toString();
    const answer = await askIssuer({ url, limits, form, authorization });
    if (answer['active'] !== true) return invalid('its issuer says that it is not active');
    const kind = answer['token_type'] ?? 'bearer';
    if (String(kind).toLowerCase() !== 'bearer') return invalid('it is not a bearer token');
    // Who was asked vouches for the issuer where the answer does not name it.
    return judge({ iss: options.issuer, ...answer }, options);
  }

  return {
    async verify(token): Promise<Verdict> {
      if (open >= limits.issuerAsks) return unavailable(`${open} questions are open at the authorization server`);
      open += 1;
      try {
        return await ask(token);
      } catch (error) {
        return unavailable(error instanceof Error ? error.message : String(error));
      } finally {
        open -= 1;
      }
    },
  };
}
