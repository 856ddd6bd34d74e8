import { Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { limits } from './api';
import { Page } from '../../ui/Page';
import { List } from '../../ui/resource/List';
import { limitsTexts } from './texts';

const t = limitsTexts;
const number = new Intl.NumberFormat();

export function Limits() {
  return (
    <Page title={t.title} lead={t.lead}>
      <List query={useQuery(limits)} empty={null}>
        {({ name, limit, used }) => {
          const share = limit && used !== null ? Math.min(100, (used / limit) * 100) : 0;
          const label = t.names[name] ?? name;
          const most = limit === null ? t.none : number.format(limit);
          return (
            <div key={name} className="row">
              <Text size="sm" fw={550} className="grow">
                {label}
              </Text>
              {limit !== null && used !== null && (
                <Progress
                  value={share}
                  w={180}
                  size={6}
                  color={share >= 90 ? 'red' : share >= 75 ? 'yellow' : undefined}
                  className="wide-only"
                  aria-label={label}
                />
              )}
              <Text size="sm" c="dimmed" ta="right" className="numbers" w={150}>
                {used === null ? most : t.of(number.format(used), most)}
              </Text>
            </div>
          );
        }}
      </List>
    </Page>
  );
}
