export const shellTexts = {
  groups: { build: 'Build', watch: 'Watch', setUp: 'Set up' },
  documentation: 'API reference',
  changePassword: 'Change password',
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
  with: (name: string) => `Sign in with ${name}`,
  failed: {
    failed: 'The sign-in did not succeed. Try again.',
    groups: 'None of your groups may sign in here.',
    taken: 'Another user has your e-mail address. Ask who runs the server.',
    email: 'The identity provider has no verified e-mail address of you.',
    toomany: 'Too many sign-ins from your network. Try again in a minute.',
  },
};

/** SignInFailure is why the identity provider's user was not signed in. */
export type SignInFailure = keyof typeof signInTexts.failed;

export const signInFailures = Object.keys(signInTexts.failed) as SignInFailure[];
