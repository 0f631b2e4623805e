import { Secret, TOTP } from 'otpauth';

const SECURITY = '/user/settings/security/two_factor';

/**
 * Sets up one-time codes of an account on the pages, and begins to sign in with its password.
 *
 * @returns the sign-in that waits for a code; the server accepts it for ten minutes
 */
export async function beginSignIn(
  url: string,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<string> {
  const typed = { user_name: name, password };
  const signedIn = await send(url, '/user/login', { form: typed });
  const cookie = signedIn.headers.getSetCookie().map((line) => line.split(';')[0]);
  const headers = { cookie: cookie.join('; ') };
  await send(url, `${SECURITY}/begin`, { form: {}, headers });
  const page = await (await send(url, `${SECURITY}/enroll`, { headers })).text();
  const secret = find(page, /<code>([A-Z2-7]{32})<\/code>/);
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await send(url, `${SECURITY}/enroll`, { form: { code }, headers });
  const asked = await send(url, '/user/login', { form: typed });
  return find(await asked.text(), /name="pending" value="([^"]*)"/);
}

function send(
  url: string,
  path: string,
  {
    form,
    headers,
  }: {
    readonly form?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Response> {
  return fetch(url + path, {
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', ...headers },
    ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
  });
}

function find(page: string, pattern: RegExp): string {
  const [, found] = pattern.exec(page) ?? [];
  if (found === undefined) throw new Error(`no ${pattern} in ${page}`);
  return found;
}
