import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { SlidersHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { texts } from '../texts';

/** Filters has the fields that narrow a list. Narrow screens show them behind a button, unless one of them is set. */
export function Filters({ active, children }: { active: boolean; children: ReactNode }) {
  const [shown, { toggle }] = useDisclosure(active);
  return (
    <>
      <Button
        className="narrow-only"
        variant="default"
        size="xs"
        mb="sm"
        leftSection={<SlidersHorizontal size={14} />}
        aria-expanded={shown}
        onClick={toggle}
      >
        {texts.resource.filters}
      </Button>
      <Group gap="sm" mb="sm" align="flex-end" className={shown ? undefined : 'wide-only'}>
        {children}
      </Group>
    </>
  );
}
