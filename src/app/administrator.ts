import type { Accounts } from '../people/accounts/service.ts';
import { type Config, ConfigError } from './config.ts';
import { print, printForSure } from './print.ts';

type AdministratorSettings = Pick<Config, 'adminName' | 'adminPassword' | 'adminEmail'>;

/**
 * Creates the site administrator on the first start. Prints a generated password before it takes effect, so that no crash
 * leaves an administrator with a password that was never shown.
 *
 * @returns whether this start created it
 * @throws ConfigError if the password cannot be printed; ForgeError as `Accounts.ensureFirstAdministrator`
 */
export async function createAdministrator(
  accounts: Accounts,
  { adminName, adminPassword, adminEmail }: AdministratorSettings,
): Promise<boolean> {
  let isShown = false;
  const showPassword = async (password: string) => {
    await printForSure(
      `creating the site administrator ${adminName} with the password ${password}\nwrite it down: it is not shown again`,
    ).catch((error) => {
      throw new ConfigError(`cannot print the password of the new site administrator: ${error.message}`);
    });
    isShown = true;
  };
  const created = await accounts.ensureFirstAdministrator({
    name: adminName,
    email: adminEmail,
    ...(adminPassword === null ? {} : { password: adminPassword }),
    showPassword,
  });
  if (created === undefined && isShown)
    print('another server has created the site administrator meanwhile: ignore the password above');
  return created !== undefined;
}

/** Reports settings of the administrator that no longer have an effect, because one exists. */
export async function uselessAdministratorSettings(
  accounts: Accounts,
  { adminName, adminPassword }: AdministratorSettings,
): Promise<readonly string[]> {
  if (adminPassword === null || (await accounts.isPasswordOf(adminName, adminPassword))) return [];
  return [
    `QUIRE_ADMIN_PASSWORD is not the password of ${adminName} and has no effect, because a site administrator exists: ` +
      `remove it, or change the password with "quire admin reset-password ${adminName}"`,
  ];
}
