package dev.stoplight.spring.dashboard;

/** The files of the page; they lie beside this class, where no application serves them by accident. */
enum DashboardFile {
    PAGE("dashboard.html", "text/html;charset=UTF-8"),
    STYLE("dashboard.css", "text/css;charset=UTF-8"),
    SCRIPT("dashboard.js", "text/javascript;charset=UTF-8"),
    ELEMENTS("elements.js", "text/javascript;charset=UTF-8"),
    TIMELINE("timeline.js", "text/javascript;charset=UTF-8"),
    ICON("icon.svg", "image/svg+xml");

    private final String fileName;
    private final String contentType;

    DashboardFile(String fileName, String contentType) {
        this.fileName = fileName;
        this.contentType = contentType;
    }

    String fileName() {
        return fileName;
    }

    String contentType() {
        return contentType;
    }

    /** Where it is served, below the dashboard's path. */
    String path() {
        return this == PAGE ? "/" : "/" + fileName;
    }
}
