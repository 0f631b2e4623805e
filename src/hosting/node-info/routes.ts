import { SERVER } from '../../api/access/actions.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { SignUp } from '../../people/sign-up/service.ts';
import { NodeInfoAnswer } from './schema.ts';
import type { NodeInfo } from './service.ts';

interface Dependencies {
  readonly nodeInfo: NodeInfo;
  readonly signUp: SignUp;
  readonly version: string;
  readonly addresses: Addresses;
}

/** @see https://nodeinfo.diaspora.software/schema.html */
export function nodeInfoRoutes(app: App, { nodeInfo, signUp, version, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'miscellaneous', addresses });

  api.get('/nodeinfo', SERVER.describe, {
    id: 'getNodeInfo',
    summary: 'Get software, protocols and counts of the server; counts are up to an hour old',
    answer: NodeInfoAnswer,
    async handle() {
      const { users, activeInHalfYear, activeInMonth, issues, comments } = await nodeInfo.count();
      return {
        version: '2.1',
        software: { name: 'quire', version, repository: '', homepage: addresses.baseUrl },
        // The server exchanges nothing with other servers by such protocols.
        protocols: [],
        services: { inbound: [], outbound: ['atom1.0', 'rss2.0'] },
        openRegistrations: signUp.isOpen,
        usage: {
          users: { total: users, activeHalfyear: activeInHalfYear, activeMonth: activeInMonth },
          localPosts: issues,
          localComments: comments,
        },
        metadata: {},
      };
    },
  });
}
