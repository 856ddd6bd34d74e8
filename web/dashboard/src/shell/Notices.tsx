import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';

/** Notices shows notifications. It is loaded after the first page; notifications wait for it. */
export const Notices = () => <Notifications position="bottom-right" autoClose={3500} limit={3} />;
