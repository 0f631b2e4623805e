import type { HookType } from '../model.ts';
import { dingtalk } from './dingtalk.ts';
import { discord } from './discord.ts';
import { feishu } from './feishu.ts';
import { matrix } from './matrix.ts';
import type { ChatRenderer } from './model.ts';
import { msteams } from './msteams.ts';
import { packagist } from './packagist.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { wechatwork } from './wechatwork.ts';

const CHATS: Readonly<Partial<Record<HookType, ChatRenderer>>> = {
  slack,
  discord,
  telegram,
  msteams,
  dingtalk,
  feishu,
  matrix,
  wechatwork,
  packagist,
};

/** Returns how a type renders deliveries; undefined for types that do not take a message. */
export function rendererOf(type: HookType): ChatRenderer | undefined {
  return CHATS[type];
}
