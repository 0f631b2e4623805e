import { decodeBase64 } from '../../../base/core/text/base64.ts';
import { isPlainLine } from '../../../base/core/text/text.ts';
import { KEY_LIMITS } from '../limits.ts';
import type { NewSshKey } from '../model.ts';
import { readUsableKey, UnusableKeyError } from '../unusable-key.ts';
import { decodeSshKey, isSshKeyType, SSH_KEY_TYPES, sshFingerprint } from './public-key.ts';

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----|^PuTTY-User-Key-File-/m;
const CERTIFICATE = /-cert-v\d\d@openssh\.com$/;

/**
 * Parses a public key as a file like `id_ed25519.pub` has it: its type, its content in base64 and a comment. No message
 * repeats a part of the text, which may be secret by mistake.
 *
 * @throws UnusableKeyError
 */
export function parseSshKey(text: string): NewSshKey {
  if (text.length > KEY_LIMITS.sshKeyCharsMax)
    throw new UnusableKeyError(`it has more than ${KEY_LIMITS.sshKeyCharsMax} characters`);
  if (PRIVATE_KEY.test(text)) {
    throw new UnusableKeyError(
      'it is a private key. Keep that file secret, and add the one whose name ends in .pub',
    );
  }
  const line = text.trim();
  if (!isPlainLine(line))
    throw new UnusableKeyError('it must be one line, as in a file whose name ends in .pub');
  const [, type = '', content = '', comment = ''] = /^(\S+)(?:[ \t]+(\S+))?(?:[ \t]+(.*))?$/.exec(line) ?? [];
  if (CERTIFICATE.test(type)) throw new UnusableKeyError('it is a certificate: add the key itself');
  if (!isSshKeyType(type))
    throw new UnusableKeyError(`it must begin with one of these types: ${SSH_KEY_TYPES.join(', ')}`);
  const blob = decodeBase64(content);
  if (blob === undefined) throw new UnusableKeyError('its content is not valid base64');
  if (readUsableKey(() => decodeSshKey(blob)).type !== type)
    throw new UnusableKeyError('its content has another type than the line says');
  return { type, content, comment: comment.trim(), fingerprint: sshFingerprint(blob) };
}
