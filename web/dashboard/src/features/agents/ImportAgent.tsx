import { Button, FileButton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Upload } from 'lucide-react';
import { editorTexts } from './texts';
import { fromYAML } from './yaml';
import { message } from '../../ui/Trouble';

/** Where the agent of a file waits for the editor. */
export const importedKey = ['imported-agent'];

/** ImportAgent opens the editor with the agent of a YAML file; it is saved there. */
export function ImportAgent() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const read = async (file: File | null) => {
    if (!file) return;
    try {
      queries.setQueryData(importedKey, await fromYAML(await file.text()));
      void navigate({ to: '/agents/new', search: { imported: true } });
    } catch (error) {
      notifications.show({ message: message(error), color: 'red' });
    }
  };
  return (
    <FileButton
      accept=".yaml,.yml,application/yaml"
      onChange={(file) => void read(file)}
      inputProps={{ 'aria-label': editorTexts.importHint }}
    >
      {(props) => (
        <Button {...props} variant="default" leftSection={<Upload size={16} />}>
          {editorTexts.importYAML}
        </Button>
      )}
    </FileButton>
  );
}
