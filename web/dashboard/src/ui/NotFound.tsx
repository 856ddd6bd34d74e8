import { Button, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { texts } from './texts';

export function NotFound() {
  return (
    <Stack component="main" align="center" py={96} px="md" gap="sm">
      <Title order={1}>{texts.common.notFoundTitle}</Title>
      <Text c="dimmed" ta="center">
        {texts.common.notFound}
      </Text>
      <Button component={Link} to="/" variant="default" mt="sm">
        {texts.common.home}
      </Button>
    </Stack>
  );
}
