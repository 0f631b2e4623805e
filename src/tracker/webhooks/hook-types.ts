import type { HookType, HttpMethod } from './model.ts';

/** In what the types of webhooks differ, apart from the form of their messages. */
interface Traits {
  /** the first is the default */
  readonly methods: readonly [HttpMethod, ...HttpMethod[]];
  /** The receiver is a program that reads the payload itself, as JSON or as a form. */
  readonly isForPrograms: boolean;
  /** further fields of `config` that it must have */
  readonly required: readonly string[];
  /** The path of the address ends in the id of the delivery, which makes an attempt that is sent twice one message. */
  readonly endsInId: boolean;
}

const PROGRAM: Traits = { methods: ['POST', 'GET'], isForPrograms: true, required: [], endsInId: false };
const CHAT: Traits = { methods: ['POST'], isForPrograms: false, required: [], endsInId: false };

export const HOOK_TRAITS: Readonly<Record<HookType, Traits>> = {
  forgejo: PROGRAM,
  gitea: PROGRAM,
  gogs: PROGRAM,
  slack: CHAT,
  discord: CHAT,
  dingtalk: CHAT,
  telegram: CHAT,
  msteams: CHAT,
  feishu: CHAT,
  matrix: { ...CHAT, methods: ['PUT'], endsInId: true },
  wechatwork: CHAT,
  packagist: CHAT,
  // A build runs a file of the repository, so its path must be known.
  sourcehut_builds: { ...CHAT, required: ['manifest_path'] },
};
