export const versionTexts = {
  title: 'Versions',
  version: (n: number) => `Version ${n}`,
  present: 'Present',
  compare: (n: number) => `What has changed since version ${n}`,
  rollback: 'Go back to this version',
  rollbackTitle: (n: number) => `Go back to version ${n}?`,
  removed: 'Removed',
  added: 'Added',
};
