import { Modal, ScrollArea, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Plus, Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { may, me } from '../api/me';
import { type Feature, type Found, matches } from '../feature';
import { features, navigation, visible } from '../features';
import { paletteTexts, shellTexts } from './texts';

interface Item extends Found {
  group: string;
  icon: ReactNode;
}

/** Those that a user has made come before calls. */
const searched = (['build', 'watch', 'setUp'] as const).flatMap((group) =>
  features.filter((f: Feature) => f.group === group && f.search),
);

function usePages(scopes: string[] | undefined, needle: string): Item[] {
  const navigate = useNavigate();
  const shown = navigation(scopes).flatMap((g) => g.features);
  const pages = shown.map(({ path, label, icon: Icon }) => ({ path, label, icon: <Icon size={16} /> }));
  const actions = features
    .flatMap((f) => ('actions' in f ? f.actions : []))
    .filter((a) => may(scopes, a.scope))
    .map(({ path, label }) => ({ path, label, icon: <Plus size={16} /> }));
  return [...pages, ...actions]
    .filter((p) => matches(needle, p.label))
    .map(({ path, label, icon }) => ({
      id: path,
      label,
      icon,
      group: paletteTexts.pages,
      open: () => void navigate({ to: path }),
    }));
}

/** useResources has every feature search; the list of features does not change, so that the hooks are the same each time. */
function useResources(scopes: string[] | undefined, needle: string): Item[] {
  return searched.flatMap((f: Feature) => {
    const { icon: Icon, search } = f;
    const found = search?.useFound(needle, visible(f, scopes)) ?? [];
    return found.map((item) => ({ ...item, group: search?.label ?? f.label, icon: <Icon size={16} /> }));
  });
}

/** Palette finds pages, agents, workflows and calls, by keyboard alone too. */
export function Palette({ close }: { close: () => void }) {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const scopes = useQuery(me).data?.scopes;
  const needle = query.trim().toLowerCase();
  const items = [...usePages(scopes, needle), ...useResources(scopes, needle)];
  const chosen = Math.min(at, items.length - 1);
  const open = (item?: Item) => {
    if (!item) return;
    close();
    item.open();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt((chosen + 1) % Math.max(1, items.length));
    else if (event.key === 'ArrowUp') setAt((chosen + items.length - 1) % Math.max(1, items.length));
    else if (event.key === 'Enter') open(items[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal
      opened
      onClose={close}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
      attributes={{ content: { 'aria-label': shellTexts.find } }}
    >
      <TextInput
        data-autofocus
        size="md"
        variant="unstyled"
        px="md"
        py={6}
        leftSection={<Search size={17} />}
        placeholder={paletteTexts.placeholder}
        aria-label={paletteTexts.placeholder}
        value={query}
        onKeyDown={keys}
        role="combobox"
        aria-expanded
        aria-controls="found"
        aria-activedescendant={items[chosen] ? `found-${items[chosen].id}` : undefined}
        onChange={(e) => {
          setQuery(e.currentTarget.value);
          setAt(0);
        }}
      />
      <ScrollArea.Autosize mah={380} style={{ borderTop: '1px solid var(--line)' }} p="xs" tabIndex={-1}>
        <div id="found" role="listbox" aria-label={shellTexts.find}>
          {items.map((item, i) => (
            <UnstyledButton
              key={item.id}
              id={`found-${item.id}`}
              role="option"
              aria-selected={i === chosen}
              tabIndex={-1}
              w="100%"
              className={i === chosen ? 'nav active' : 'nav'}
              onClick={() => open(item)}
              onMouseMove={() => setAt(i)}
            >
              {item.icon}
              <span className="grow one-line">{item.label}</span>
              <Text size="xs" c="dimmed" className="one-line" maw="50%">
                {item.hint ?? item.group}
              </Text>
            </UnstyledButton>
          ))}
        </div>
        {items.length === 0 && (
          <Text c="dimmed" size="sm" p="md" ta="center">
            {paletteTexts.nothing}
          </Text>
        )}
      </ScrollArea.Autosize>
    </Modal>
  );
}
