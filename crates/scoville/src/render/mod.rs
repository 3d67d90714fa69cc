//! An analysis as text: terminal, HTML, CSV, JSON, Markdown and more. Computes nothing.
