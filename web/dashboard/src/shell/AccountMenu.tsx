import { Menu } from '@mantine/core';
import { LogOut } from 'lucide-react';
import type { ReactElement } from 'react';
import { shellTexts } from './texts';

/** AccountMenu opens below its target, and says who is signed in where. */
export function AccountMenu({
  target,
  email,
  tenant,
  leave,
}: {
  target: ReactElement;
  email?: string;
  tenant?: string;
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
        <Menu.Item leftSection={<LogOut size={15} />} onClick={leave}>
          {shellTexts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
