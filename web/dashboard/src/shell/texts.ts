export const shellTexts = {
  groups: { build: 'Build', watch: 'Watch', setUp: 'Set up' },
  documentation: 'API reference',
  signOut: 'Sign out',
  notSignedOut: 'You are still signed in: the server did not end the session. Try again.',
  dark: 'Dark',
  light: 'Light',
  theme: 'Switch between dark and light',
  menu: 'Navigation',
  find: 'Find',
  skip: 'Skip to the content',
  account: 'Account',
};

export const paletteTexts = {
  placeholder: 'Find agents, workflows and calls',
  pages: 'Pages',
  nothing: 'Nothing matches.',
};

export const signInTexts = {
  title: 'Sign in to Parley',
  hint: 'The first start of the server prints an e-mail address and a password.',
  email: 'E-mail address',
  password: 'Password',
  submit: 'Sign in',
  wrong: 'The e-mail address or the password is wrong.',
  unreachable: 'The server cannot be reached. Check that it runs, then try again.',
};
