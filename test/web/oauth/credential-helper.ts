import { hash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * A helper of git that gets a token as git-credential-oauth does: it listens on the machine of the user, lets a browser
 * open the request, and exchanges the code. See gitcredentials(7) and RFC 8252.
 */

const [url = '', clientId = '', browser = '', operation = ''] = process.argv.slice(2);

/** Returns the address at which the helper waits, and the query with which a browser comes back. */
async function listen(): Promise<{ readonly address: string; readonly back: Promise<URLSearchParams> }> {
  const { promise: back, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Done</title><h1>You may close this page</h1>');
    server.close();
    resolve(new URL(request.url ?? '/', 'http://127.0.0.1').searchParams);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, back };
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

async function getToken(): Promise<Tokens> {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const { address, back } = await listen();
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: address,
    state,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  });
  // In place of a browser that the system opens.
  await fetch(browser, { method: 'POST', body: `${url}/login/oauth/authorize?${request}` });
  const answer = await back;
  if (answer.get('state') !== state || answer.get('iss') !== url)
    throw new Error('an answer of another server');
  const fields = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: answer.get('code') ?? '',
    redirect_uri: address,
    code_verifier: verifier,
  };
  const exchanged = await fetch(`${url}/login/oauth/access_token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  if (!exchanged.ok) throw new Error(await exchanged.text());
  return (await exchanged.json()) as Tokens;
}

await text(process.stdin);
if (operation === 'get') {
  const token = await getToken();
  const end = Math.floor(Date.now() / 1000) + token.expires_in;
  process.stdout.write(
    `username=oauth2\npassword=${token.access_token}\npassword_expiry_utc=${end}\noauth_refresh_token=${token.refresh_token}\n`,
  );
}
