import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import { OWN_PASSWORD } from './actions.ts';
import type { OwnPassword } from './own-password.ts';
import { ChangePasswordBody } from './schema.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly ownPassword: OwnPassword;
  readonly addresses: Addresses;
}

export function ownPasswordRoutes(app: App, { accounts, ownPassword, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses });

  api.put('/user/password', OWN_PASSWORD.change, {
    id: 'userChangePassword',
    summary: 'Change your own password: requires the current one',
    failures: ['bad_request', 'conflict'],
    body: ChangePasswordBody,
    async handle({ viewer, body, request }) {
      const { id } = await accounts.getOwnUser(viewer);
      await ownPassword.change(id, {
        current: body.current_password,
        replacement: body.new_password,
        deletesTokens: body.delete_tokens ?? false,
        address: request.ip,
      });
    },
  });
}
