// Runs in browsers, on pages with passkeys. Connects their buttons with the authenticators of the user. A button has the
// options of WebAuthn; what the authenticator signs is sent in a hidden field of the form of the button.

const OF_BASE64URL = { '-': '+', _: '/' };
const TO_BASE64URL = { '+': '-', '/': '_', '=': '' };

function bytesOf(text) {
  const base64 = text.replaceAll(/[-_]/g, (character) => OF_BASE64URL[character]);
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function textOf(buffer) {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return base64.replaceAll(/[+/=]/g, (character) => TO_BASE64URL[character]);
}

/** Older browsers do not read the options as JSON. */
function withBytes(options) {
  const described = (list = []) => list.map((one) => ({ ...one, id: bytesOf(one.id) }));
  return {
    ...options,
    challenge: bytesOf(options.challenge),
    ...(options.user && { user: { ...options.user, id: bytesOf(options.user.id) } }),
    ...(options.excludeCredentials && { excludeCredentials: described(options.excludeCredentials) }),
    ...(options.allowCredentials && { allowCredentials: described(options.allowCredentials) }),
  };
}

/** Older browsers do not write what was signed as JSON. */
function jsonOf(credential) {
  const { id, rawId, type, response } = credential;
  const parts = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
  const written = parts.filter((part) => response[part]).map((part) => [part, textOf(response[part])]);
  return {
    id,
    rawId: textOf(rawId),
    type,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: { ...Object.fromEntries(written), transports: response.getTransports?.() ?? [] },
  };
}

async function ask({ dataset }) {
  const options = JSON.parse(dataset.options);
  if (dataset.passkey === 'create') {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON?.(options) ?? withBytes(options);
    return navigator.credentials.create({ publicKey });
  }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON?.(options) ?? withBytes(options);
  return navigator.credentials.get({ publicKey });
}

async function use(button) {
  const { form } = button;
  const problem = form.querySelector('[data-passkey-problem]');
  // A code is not needed with a passkey, but all other fields are.
  const others = form.querySelectorAll('[data-without-passkey]');
  const require = (isRequired) => {
    for (const field of others) field.required = isRequired;
  };
  require(false);
  if (!form.reportValidity()) return;
  problem.hidden = true;
  button.disabled = true;
  try {
    const credential = await ask(button);
    form.elements.passkey.value = JSON.stringify(credential.toJSON?.() ?? jsonOf(credential));
    form.requestSubmit();
  } catch {
    require(true);
    problem.hidden = false;
  } finally {
    button.disabled = false;
  }
}

for (const button of document.querySelectorAll('[data-passkey]')) {
  if (!('PublicKeyCredential' in window)) break;
  button.hidden = false;
  button.addEventListener('click', () => use(button));
  button.form.addEventListener('submit', (event) => {
    const isForPasskey = button.form.querySelector('button:not([type])') === null;
    if (!isForPasskey || button.form.elements.passkey.value !== '') return;
    event.preventDefault();
    use(button);
  });
}
