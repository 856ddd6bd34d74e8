import { Menu } from '@mantine/core';
import { KeyRound, LogOut } from 'lucide-react';
import type { ReactElement } from 'react';
import { shellTexts } from './texts';

/** AccountMenu opens below its target, and says who is signed in where. */
export function AccountMenu({
  target,
  email,
  tenant,
  changePassword,
  leave,
}: {
  target: ReactElement;
  email?: string;
  tenant?: string;
  changePassword: () => void;
  leave: () => void;
}) {
  return (
    <Menu position="bottom-end" width={230} defaultOpened>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {email}
          <br />
          {tenant}
        </Menu.Label>
        <Menu.Item leftSection={<KeyRound size={15} />} onClick={changePassword}>
          {shellTexts.changePassword}
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={15} />} onClick={leave}>
          {shellTexts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
