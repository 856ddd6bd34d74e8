import { useQuery } from '@tanstack/react-query';
import { may, me } from '../api/queries';
import { Page } from '../parts/Page';
import { Numbers } from '../parts/phone/Numbers';
import { Trunks } from '../parts/phone/Trunks';
import { texts } from '../texts';

export function Phone() {
  const writes = may(useQuery(me).data?.scopes, 'sip:write');
  return (
    <Page title={texts.phone.title} lead={texts.phone.lead}>
      <Trunks writes={writes} />
      <Numbers writes={writes} />
    </Page>
  );
}
