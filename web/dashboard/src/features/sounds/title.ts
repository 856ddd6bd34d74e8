/** The title is apart from the page’s other texts, which load with the page. */
export const soundsTitle = 'Sounds';
