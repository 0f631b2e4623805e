import { hash, randomBytes } from 'node:crypto';
import type { Person, TestForge } from '../forge/forge.ts';
import type { Answer } from './http.ts';
import type { PageReader } from './page-reader.ts';

/** An application as a test uses it. */
export interface TestClient {
  readonly id: number;
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUri: string;
}

export const REDIRECT_URI = 'https://app.example/callback';
/** The ids of the applications that every server has. */
export const GIT_CREDENTIAL_OAUTH = 'a4792ccc-144e-407e-86c9-5e7d8d9c3269';

/** Creates an application of a person, a confidential one unless the fields say otherwise. */
export async function createClient(
  owner: Person,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<TestClient> {
  const sent = { name: 'Builder', redirect_uris: [REDIRECT_URI], confidential_client: true, ...fields };
  const { status, body, text } = await owner.post('/api/v1/user/applications/oauth2', sent);
  if (status !== 201) throw new Error(`cannot create an application: ${status} ${text}`);
  const { id, client_id: clientId, client_secret: secret, redirect_uris: uris } = body;
  return { id, clientId, secret, redirectUri: uris[0] };
}

/** A verifier of PKCE and its challenge. */
export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

export function newProof(): Proof {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: hash('sha256', verifier, 'base64url') };
}

/** Returns the path of a request, with the parameters that differ from the usual ones; undefined leaves one out. */
export function requestPath(
  client: Pick<TestClient, 'clientId' | 'redirectUri'>,
  others: Readonly<Record<string, string | undefined>> = {},
): string {
  const parameters = {
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    state: 'the state',
    ...others,
  };
  const sent = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `/login/oauth/authorize?${new URLSearchParams(sent as [string, string][])}`;
}

/** Opens a request as a program does, which follows addresses and reads no pages. */
export function openRequest(reader: PageReader, path: string): Promise<Answer> {
  return reader.get(path, { headers: { accept: '*/*' } });
}

/** Consents to a request, or denies it. Returns the answer, which leads to the client. */
export function decide(reader: PageReader, path: string, decision = 'allow'): Promise<Answer> {
  return reader.post(path, { decision }, { headers: { accept: '*/*' } });
}

/** Returns the parameters with which a browser is sent to the client. */
export function answerOf({ headers }: Answer): Readonly<Record<string, string>> {
  const location = headers.get('location');
  if (location === null) throw new Error('the browser is sent nowhere');
  return Object.fromEntries(new URL(location).searchParams);
}

/** Grants a request and returns its code. */
export async function grantedCode(reader: PageReader, path: string): Promise<string> {
  const answer = await decide(reader, path);
  const { code } = answer.status === 303 ? answerOf(answer) : {};
  if (code === undefined) throw new Error(`no code: ${answer.status} ${answer.text}`);
  return code;
}

/** Sends a form of a client: to the endpoint of tokens, unless `path` says otherwise. */
export function sendForm(
  forge: TestForge,
  client: Pick<TestClient, 'clientId' | 'secret'>,
  fields: Readonly<Record<string, string>>,
  path = '/login/oauth/access_token',
): Promise<Answer> {
  const { clientId, secret } = client;
  const secrets = secret === '' ? {} : { client_secret: secret };
  return forge.send('POST', path, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: clientId, ...secrets, ...fields }).toString(),
  });
}

/** Exchanges a code. */
export function exchange(
  forge: TestForge,
  client: TestClient,
  code: string,
  others: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const fields = { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri, ...others };
  return sendForm(forge, client, fields);
}

export function refresh(
  forge: TestForge,
  client: TestClient,
  token: string,
  others: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return sendForm(forge, client, { grant_type: 'refresh_token', refresh_token: token, ...others });
}

/** What a client gets. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

/** Lets a client act for the user of a browser, with these scopes. */
export async function tokensFor(
  forge: TestForge,
  client: TestClient,
  { reader, scope = '' }: { readonly reader: PageReader; readonly scope?: string },
): Promise<Tokens> {
  const { verifier, challenge } = newProof();
  const path = requestPath(client, { scope, code_challenge: challenge, code_challenge_method: 'S256' });
  const code = await grantedCode(reader, path);
  const { status, body, text } = await exchange(forge, client, code, { code_verifier: verifier });
  if (status !== 200) throw new Error(`no tokens: ${status} ${text}`);
  return { access: body.access_token, refresh: body.refresh_token };
}
