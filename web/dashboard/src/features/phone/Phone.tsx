import { useQuery } from '@tanstack/react-query';
import { may, me } from '../../api/me';
import { Page } from '../../ui/Page';
import { Numbers } from './Numbers';
import { Trunks } from './Trunks';
import { phoneTexts } from './texts';

export function Phone() {
  const writes = may(useQuery(me).data?.scopes, 'sip:write');
  return (
    <Page title={phoneTexts.title} lead={phoneTexts.lead}>
      <Trunks writes={writes} />
      <Numbers writes={writes} />
    </Page>
  );
}
